import type { Effect, EffectKind } from '@holter/core';
import { later } from '@holter/core';
import type { Clock } from './clock.ts';
import type { ActResult, Executor } from './executor.ts';

type Notice = Extract<Effect, { kind: 'notify' }>;
type Receive = (effect: Effect, outcome: 'delivered', detail: string) => Promise<void>;

const OFFER_AGAIN_MS = 60_000;

/**
 * Notices for people, until channels to them exist: they hang here, and one counts as delivered when
 * somebody who may decide has been shown it. A notice that nobody read has not reached anybody, so the
 * escalation's time-out does not run.
 */
export class NoticeBoard implements Executor {
  readonly name = 'notice-board';
  readonly id = null;
  readonly kinds: ReadonlySet<EffectKind> = new Set<EffectKind>(['notify']);
  private readonly hanging = new Map<string, Notice>();
  private readonly clock: Clock;
  private readonly receive: Receive;
  private readonly announce: (notice: Notice) => void;

  constructor(clock: Clock, receive: Receive, announce: (notice: Notice) => void) {
    this.clock = clock;
    this.receive = receive;
    this.announce = announce;
  }

  async act(effect: Effect): Promise<ActResult> {
    if (effect.kind !== 'notify') return { kind: 'failed', detail: `${effect.kind} is no notice` };
    if (!this.hanging.has(effect.id)) {
      this.hanging.set(effect.id, effect);
      this.announce(effect);
    }
    return {
      kind: 'underway',
      checkAgainAt: later(this.clock.now(), OFFER_AGAIN_MS),
      detail: 'nobody has read it yet',
    };
  }

  /** What is waiting to be read, oldest first. */
  get notices(): readonly Notice[] {
    return [...this.hanging.values()];
  }

  /** Somebody who may decide for these agents has been shown what hangs here. */
  async shownTo(reader: string, isAbout: (notice: Notice) => boolean): Promise<void> {
    const read = this.notices.filter(isAbout);
    for (const notice of read) {
      this.hanging.delete(notice.id);
      await this.receive(notice, 'delivered', `read by ${reader}`);
    }
  }
}
