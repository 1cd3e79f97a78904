import { BOOT_WAKE, freshnessOf, instant, type LifecycleRequest, unwatchedSilence } from '@holter/core';
import { isMarked } from '../boot/marker.ts';
import { readBootStatus } from '../boot/status-file.ts';
import type { Chain } from '../deacon/context.ts';
import { HANDOFF } from '../deacon/handoff.ts';
import { heartbeatReading } from '../deacon/heartbeat.ts';
import { lookAtDeacon } from '../deacon/look.ts';
import type { ChainMail } from '../town/chain-mail.ts';
import type { BootHand } from './boot-hand.ts';
import type { TownDuties } from './daemon.ts';
import { lifecycleLetters } from './lifecycle-letters.ts';
import { lifecycleRequests } from './lifecycle-requests.ts';

/** What the daemon sees and does in its town besides looking after the links. */
export function townDuties(chain: Chain, boot: BootHand, mail: ChainMail): TownDuties {
  const { town, table, settings, clock, now } = chain;
  const begunAt = now();
  let triagedAt = begunAt;

  /** What Boot has said about the run that is there now, once. */
  const newTriage = async () => {
    const status = await readBootStatus(town, now);
    if (!status || status.at <= triagedAt) return null;
    triagedAt = status.at;
    // Where a person is needed, Boot tells the overseer itself.
    if (status.action === 'ESCALATE' && status.memory?.isTold) return null;
    const { run } = await lookAtDeacon(chain);
    return run && status.memory?.incarnation === run.incarnation ? status : null;
  };

  /** Only where Boot has not looked for long: otherwise the heartbeat is Boot's business. */
  const unseenSilence = async (): Promise<string | null> => {
    const sinceTriageMs = now() - Math.max(begunAt, (await readBootStatus(town, now))?.at ?? 0);
    if (sinceTriageMs < settings.freshness.veryStaleMs) return null;
    const { run } = await lookAtDeacon(chain);
    if (!run) return null;
    const freshness = freshnessOf(await heartbeatReading(town, now), run, instant(now()), settings.freshness);
    return unwatchedSilence(freshness, sinceTriageMs, settings.freshness);
  };

  return {
    see: async (looks) => ({
      isBootRunning: boot.isRunning || (await isMarked(town, table, settings.bootTtlMs, now)),
      triage: await newTriage(),
      silence: await unseenSilence(),
      lifecycle: [
        ...lifecycleRequests(chain, looks),
        ...(await lifecycleLetters({ clock, now, mail }, looks)),
      ],
    }),
    triage: async () => void (await boot.start()),
    wake: async () => {
      const why = await mail.nudge(BOOT_WAKE);
      if (why !== null) throw new Error(why);
    },
    handOver: async (request) => {
      const why = await mail.send(letterOf(request));
      if (why !== null) throw new Error(why);
    },
  };
}

/** From the one that is cycled to its next run, like its own handoff. */
function letterOf({ name, by, reason }: LifecycleRequest) {
  const box = name.replace(/^agent:/, '');
  const message = `Your last run was ended on purpose, by ${by}${reason === '' ? '' : `: ${reason}`}. Go on where it was.`;
  return { from: box, to: box, subject: 'Cycled by the daemon', message, type: HANDOFF };
}
