import type { Instant } from '@holter/core';
import type { Clock } from '../engine/clock.ts';
import type { StoredLetter } from '../store/letters.ts';
import type { PostOffice } from './post-office.ts';
import { isAcknowledgedByReading, type Quoted, quotedLetters } from './quote.ts';

/** How often the store is asked about one agent, while its hooks call. */
const LOOK_MS = 10_000;
const AGENTS_MAX = 10_000;
/** Quoted at once; the rest comes with later hooks. */
const QUOTED_MAX = 5;

type Tray = {
  readonly lookedAt: Instant;
  letters: readonly StoredLetter[];
  unverified: number;
  /** How many of those the agent was told of. */
  told: number;
};

type TrayContext = {
  readonly office: Pick<PostOffice, 'unreadOf' | 'noteShown' | 'noteSeen'>;
  readonly clock: Clock;
  readonly failed: (error: unknown) => void;
};

/** Letters for agents that are reached by the replies to their hooks, which can't wait for the store. */
export class MailTray {
  private readonly context: TrayContext;
  private readonly trays = new Map<string, Tray>();
  /** What the last reply to an agent has quoted. */
  private readonly shown = new Map<string, readonly StoredLetter[]>();

  constructor(context: TrayContext) {
    this.context = context;
  }

  /** Asks the store ahead of its first hook, so that already that reply carries what waits for a new start. */
  prepare(agentId: string): void {
    this.look(agentId);
  }

  /**
   * What the next reply should carry; null when there is nothing. What was quoted has been read, and when the agent
   * calls again it has seen it.
   */
  take(agentId: string): string | null {
    const { office, clock, failed } = this.context;
    const seen = this.shown.get(agentId);
    this.shown.delete(agentId);
    if (seen) office.noteSeen(agentId, seen).catch(failed);
    const tray = this.trays.get(agentId);
    if (!tray || clock.now() - tray.lookedAt >= LOOK_MS) this.look(agentId);
    if (!tray) return null;
    const letters = tray.letters.slice(0, QUOTED_MAX);
    // Told when there are more of them, and not again with every hook.
    const unverified = tray.unverified > tray.told ? tray.unverified : 0;
    tray.letters = [];
    tray.told = tray.unverified;
    if (letters.length + unverified === 0) return null;
    if (letters.length > 0) office.noteShown(agentId, letters).catch(failed);
    const quoted = letters.map(quotedOf);
    const awaited = letters.filter((_letter, index) => isAcknowledgedByReading(quoted[index] as Quoted));
    if (awaited.length > 0 && this.shown.size < AGENTS_MAX) this.shown.set(agentId, awaited);
    return quotedLetters(quoted, unverified);
  }

  private look(agentId: string): void {
    const { office, clock, failed } = this.context;
    const { told = 0 } = this.trays.get(agentId) ?? {};
    const tray: Tray = { lookedAt: clock.now(), letters: [], unverified: told, told };
    this.trays.delete(agentId);
    this.trays.set(agentId, tray);
    const oldest = this.trays.keys().next();
    if (this.trays.size > AGENTS_MAX && !oldest.done) this.trays.delete(oldest.value);
    office.unreadOf(agentId).then(({ letters, unverified }) => {
      tray.letters = letters;
      tray.unverified = unverified;
      tray.told = Math.min(told, unverified);
    }, failed);
  }
}

const quotedOf = ({ letterId: id, from, to, priority, subject, passed, content }: StoredLetter): Quoted => {
  const said = JSON.parse(content) as Quoted['content'];
  return { id, from, to, priority, type: said.type, subject, content: said, isForwarded: passed.length > 0 };
};
