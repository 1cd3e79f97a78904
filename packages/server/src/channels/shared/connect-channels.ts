import type { Effect } from '@holter/core';
import type { Clock } from '../../engine/clock.ts';
import type { Engine } from '../../engine/engine.ts';
import type { ChannelsFor } from '../../engine/fan-out.ts';
import type { Store } from '../../store/store.ts';
import type { Channel } from './channel.ts';
import { type AlertSide, ChannelExecutor } from './channel-executor.ts';
import { UnreadNotices } from './unread-notices.ts';

type Parts = {
  /** They carry every notice. */
  readonly channels: readonly Channel[];
  /** Channels that alerts are sent through, by rules of their own. */
  readonly alerts?: AlertSide;
  readonly store: Pick<Store, 'listEffects'>;
  readonly clock: Clock;
  /** A function, because the engine is built from what this returns. */
  readonly engine: () => Pick<Engine, 'receive' | 'notify'>;
};

/** Connects an engine to its channels: the executor, the choice of channels, and the unread notices. */
export function connectChannels({ channels, alerts, store, clock, engine }: Parts): {
  readonly executor: ChannelExecutor;
  readonly channelsFor: ChannelsFor;
  readonly notices: UnreadNotices;
} {
  const tellFailed = async (notice: Effect, failedChannel: string, detail: string): Promise<void> => {
    const message = `The channel ${failedChannel} does not deliver notices: ${detail}.`;
    // A notice about a group has no agent, so this does nothing; the outbox reports the failure itself.
    await engine().notify(notice.agentId, `${notice.id}/failed`, {
      audience: 'operator',
      severity: 'warning',
      message,
      incidentId: null,
      failedChannel,
    });
  };
  return {
    executor: new ChannelExecutor({ channels, clock, failed: tellFailed, ...(alerts && { alerts }) }),
    channelsFor: ({ failedChannel }) =>
      channels.map(({ name }) => name).filter((name) => name !== failedChannel),
    notices: new UnreadNotices(store, (...receipt) => engine().receive(...receipt), channels),
  };
}
