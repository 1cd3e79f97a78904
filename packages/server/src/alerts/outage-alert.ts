import { type AlertAction, type AlertNotice, type Instant, minutes } from '@holter/core';
import type { EngineHealth } from '../engine/engine-options.ts';

type OutageContext = {
  readonly health: () => Pick<EngineHealth, 'store' | 'storeReason'>;
  readonly send: (notice: Omit<AlertNotice, 'channels' | 'severity'>) => void;
};

const TOLD_AFTER_MS = minutes(1);

/**
 * Tells that the store is away. Alerts are stored before they are sent, which then is not possible: this one is sent
 * at once, without a retry.
 */
export class OutageAlert {
  private readonly context: OutageContext;
  private since: Instant | null = null;
  private isTold = false;

  constructor(context: OutageContext) {
    this.context = context;
  }

  look(at: Instant): void {
    const { store, storeReason } = this.context.health();
    if (store === 'ok') {
      if (this.isTold) this.tell('resolve', 'Holter can write to its store again');
      this.since = null;
      this.isTold = false;
      return;
    }
    this.since ??= at;
    if (this.isTold || at < this.since + TOLD_AFTER_MS) return;
    this.isTold = true;
    this.tell(
      'trigger',
      `Holter can't write to its store and acts on nothing: ${storeReason ?? 'no reason is known'}`,
    );
  }

  private tell(action: AlertAction, summary: string): void {
    const since = this.since as Instant;
    this.context.send({
      alertId: `alert/store-${since.toString(36)}`,
      action,
      number: action === 'trigger' ? 1 : 2,
      topic: 'holter_unwell',
      group: null,
      members: [{ agentId: null, incidentId: null, summary, since }],
      count: 1,
    });
  }
}
