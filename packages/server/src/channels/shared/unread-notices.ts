import type { Effect, NoticeBody } from '@holter/core';
import { wantedIdOf } from '@holter/core';
import type { Engine } from '../../engine/engine.ts';
import type { Store } from '../../store/store.ts';
import type { Channel } from './channel.ts';

type Notify = Extract<Effect, { kind: 'notify' }>;
type UnreadNotice = NoticeBody & { readonly noticeId: string; readonly agentId: string };

/** Who was shown a notice, and where. */
export type Reader = { readonly who: string; readonly channel: 'page' | 'cli' };

/** Far more than the open incidents of a large fleet produce. */
const OPEN_MAX = 5_000;

/**
 * Unread notices on the pull channels. They are in the store, so every server shows the same list. Once a notice
 * was shown on one channel to a person who may decide, it counts as read on all of them.
 */
export class UnreadNotices {
  private readonly store: Pick<Store, 'listEffects'>;
  private readonly receive: Engine['receive'];
  private readonly pulled: ReadonlySet<string>;
  private readonly settling = new Set<string>();

  constructor(store: Pick<Store, 'listEffects'>, receive: Engine['receive'], channels: readonly Channel[]) {
    this.store = store;
    this.receive = receive;
    this.pulled = new Set(channels.filter(({ isPull }) => isPull).map(({ name }) => name));
  }

  /** Each once, oldest first. */
  async list(): Promise<readonly UnreadNotice[]> {
    const notices = new Map<string, UnreadNotice>();
    for (const copy of await this.copies()) {
      const { agentId, audience, severity, message, incidentId } = copy;
      const noticeId = wantedIdOf(copy);
      notices.set(noticeId, { noticeId, agentId, audience, severity, message, incidentId });
    }
    return [...notices.values()];
  }

  /** Settles the copy that was read as delivered, and withdraws the copies on other channels. */
  async read(noticeIds: ReadonlySet<string>, { who, channel }: Reader): Promise<void> {
    const copies = (await this.copies()).filter((copy) => noticeIds.has(wantedIdOf(copy)));
    const isHere = ({ via }: Notify): boolean => via === undefined || via.channel === channel;
    for (const copy of copies.sort((a, b) => Number(isHere(b)) - Number(isHere(a)))) {
      if (this.settling.has(copy.id)) continue;
      this.settling.add(copy.id);
      const isFirst = copies.find((other) => wantedIdOf(other) === wantedIdOf(copy)) === copy;
      await this.receive(
        copy,
        isFirst ? 'delivered' : 'cancelled',
        isFirst ? `read by ${who}` : `read by ${who} on the ${channel}`,
      ).finally(() => this.settling.delete(copy.id));
    }
  }

  private async copies(): Promise<Notify[]> {
    const open = await this.store.listEffects({ isOpen: true, limit: OPEN_MAX });
    return open
      .flatMap(({ effect }) =>
        effect.kind === 'notify' && (effect.via === undefined || this.pulled.has(effect.via.channel))
          ? [effect]
          : [],
      )
      .reverse();
  }
}
