import type { Instant, Link, LinkName } from '@holter/core';
import type { Outside } from '@holter/server/outside';
import type { Clock } from '@holter/server/process';

/** What is wrong with a link: the id of its incident, or what the chain says of it. */
export type Condition = { readonly link: LinkName; readonly about: string; readonly message: string };

/** A condition that people were told without the server, or are to be told. */
export type ToldOutside = Condition & {
  readonly since: Instant;
  /** Channels that have taken it, and that have refused it for good. */
  readonly told: readonly string[];
  readonly refused: readonly string[];
  readonly isPinged: boolean;
  readonly overSince: Instant | null;
};

type VoiceParts = {
  readonly book: {
    link(name: LinkName): Link;
    readonly toldOutside: readonly ToldOutside[];
    keepToldOutside(told: readonly ToldOutside[]): Promise<void>;
  };
  readonly clock: Clock;
  /** As the operator's file says now; null if it can't be read. */
  readonly open: () => Promise<Outside | null>;
  readonly say: (line: string) => void;
};

/** An end that can't be told for so long is of no use any more. */
const END_MS_MAX = 86_400_000;

/**
 * The daemon's way to people that does not need the server: the operator's channels for trouble of Holter, and the
 * outside ping. Each condition is told once by each, tried again until it is taken, and once more when it is over. The
 * ping says no end: the server itself pings again when it is well.
 */
export class OutsideVoice {
  private readonly parts: VoiceParts;

  constructor(parts: VoiceParts) {
    this.parts = parts;
  }

  /** Tells those who do not know it yet. */
  async tell(condition: Condition): Promise<void> {
    const { book, clock, open, say } = this.parts;
    if (isOver(book.link(condition.link), condition.about)) return;
    const outside = await open();
    const known = book.toldOutside.find((each) => isSame(each, condition));
    const before = known ?? { ...condition, since: clock.now(), ...NOBODY };
    if (!outside || (outside.channels.length === 0 && !outside.hasPing)) {
      if (known) return;
      say('people can be told through the server alone: holter.yaml has no channel and no dead_man_ping');
      return this.keep(condition, before);
    }
    const untold = outside.channels.filter((name) => ![...before.told, ...before.refused].includes(name));
    const sent = await this.sendAll(outside, untold, before, 'trigger');
    const isPinged = before.isPinged || (await this.ping(outside, before.message));
    const after = {
      ...before,
      told: [...before.told, ...sent.taken],
      refused: [...before.refused, ...sent.refused],
      isPinged,
      overSince: null,
    };
    await this.keep(condition, after);
  }

  /** Tells the end of what is over, to those who know of it. */
  async settle(): Promise<void> {
    const { book, clock, open } = this.parts;
    const now = clock.now();
    for (const told of book.toldOutside) {
      if (!isOver(book.link(told.link), told.about)) continue;
      const overSince = told.overSince ?? now;
      const outside = now - overSince < END_MS_MAX ? await open() : null;
      const there = told.told.filter((name) => outside?.channels.includes(name));
      const sent = outside ? await this.sendAll(outside, there, told, 'resolve') : null;
      const left = there.filter((name) => ![...(sent?.taken ?? []), ...(sent?.refused ?? [])].includes(name));
      await this.keep(told, left.length === 0 ? null : { ...told, told: left, overSince });
    }
  }

  private async sendAll(
    outside: Outside,
    channels: readonly string[],
    { link, about, message, since }: ToldOutside,
    action: 'trigger' | 'resolve',
  ): Promise<{ readonly taken: readonly string[]; readonly refused: readonly string[] }> {
    const alertId = `alert/chain-${link}-${about}-${since.toString(36)}`;
    const summary = `${action === 'trigger' ? '' : 'It is over: '}${message}`;
    const results = await Promise.all(
      channels.map(async (name) => {
        const { kind, detail } = await outside.send(name, { alertId, action, summary, since });
        const isTaken = kind === 'posted';
        this.parts.say(isTaken ? `told through ${name}: ${summary}` : `${name} was not told: ${detail}`);
        return { name, kind };
      }),
    );
    const of = (...kinds: readonly string[]) =>
      results.filter(({ kind }) => kinds.includes(kind)).map(({ name }) => name);
    return { taken: of('posted'), refused: of('refused', 'waits') };
  }

  /** Whether nothing more is to be done. */
  private async ping(outside: Outside, message: string): Promise<boolean> {
    if (!outside.hasPing) return false;
    const failure = await outside.pingFailure(message);
    this.parts.say(
      failure === null ? `told by the outside ping: ${message}` : `the outside ping: ${failure}`,
    );
    return failure === null;
  }

  private async keep(condition: Condition, after: ToldOutside | null): Promise<void> {
    const { book } = this.parts;
    const others = book.toldOutside.filter((each) => !isSame(each, condition));
    await book.keepToldOutside(after ? [...others, after] : others);
  }
}

const NOBODY = { told: [], refused: [], isPinged: false, overSince: null } as const;

const isSame = (one: Condition, other: Condition): boolean =>
  one.link === other.link && one.about === other.about;

function isOver({ agent, budget, unheard }: Link, about: string): boolean {
  if (about === 'latched') return budget.latchedAt === undefined;
  if (about === 'unheard') return unheard?.isSaid === undefined;
  return agent?.hard.incident?.id !== about;
}
