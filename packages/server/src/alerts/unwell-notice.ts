import type { AlertAction, AlertNotice, Instant } from '@holter/core';

export type UnwellNotice = {
  readonly alertId: string;
  readonly action: Extract<AlertAction, 'trigger' | 'resolve'>;
  readonly summary: string;
  readonly since: Instant;
};

/** That Holter itself needs help, told without the store. */
export const unwellNotice = ({
  alertId,
  action,
  summary,
  since,
}: UnwellNotice): Omit<AlertNotice, 'channels' | 'severity'> => ({
  alertId,
  action,
  number: action === 'trigger' ? 1 : 2,
  topic: 'holter_unwell',
  group: null,
  members: [{ agentId: null, incidentId: null, summary, since }],
  count: 1,
});
