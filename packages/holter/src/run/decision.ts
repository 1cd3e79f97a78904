import { inWords, seconds } from '@holter/core';
import type { Clock } from '@holter/server/process';
import type { AgentRecord } from './agent-record.ts';

const LOOK_EVERY_MS = 500;
const AGAIN_MS = 2_000;

/**
 * Waits for the server's decision after the agent has ended: `down` if it stays down, `person` if a person must
 * decide, null if a start was ordered meanwhile. After a termination the record changes only with the receipt, so
 * an immediate read would see the old state.
 */
export async function untilDecided(parts: {
  readonly agent: AgentRecord;
  readonly clock: Clock;
  readonly say: (line: string) => void;
  readonly isOver: () => boolean;
  /** A start is under way: that of a successor, or still its own, if it has ended at once. */
  readonly isStarting: () => boolean;
  readonly isReceiptComing: boolean;
}): Promise<'down' | 'person' | null> {
  const { agent, clock, say, isOver, isStarting, isReceiptComing } = parts;
  const pause = (): Promise<void> => new Promise((resolve) => void clock.after(LOOK_EVERY_MS, resolve));
  if (isReceiptComing) await pause();
  for (let told: number | null = null; ; await pause()) {
    const look = await agent.look();
    if (isOver()) return null;
    if (isStarting()) continue;
    const incident = look?.incident ?? null;
    if (!incident) return 'down';
    if (incident.step === 'human') return 'person';
    const { step, at, inSeconds, why } = incident.next;
    if (step !== 'recover' || at === null || inSeconds === null || inSeconds < 2) continue;
    // Said again when it takes longer than was said: the fleet may hold a start back.
    if (told !== null && at - told < AGAIN_MS) continue;
    say(`it is down, and is started again in ${inWords(seconds(inSeconds))}: ${why} (Ctrl-C gives up)`);
    told = at;
  }
}
