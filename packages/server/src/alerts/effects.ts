import {
  type AlertNotice,
  alertTimes,
  type Effect,
  hours,
  type Instant,
  later,
  lifeOfFleet,
} from '@holter/core';
import type { Channel } from '../channels/index.ts';

/** An end that can't be told for so long is of no use any more. */
const END_MS_MAX = hours(24);

/** One effect for each channel that is defined, and that can show what the notice says. */
export function effectsOf(notice: AlertNotice, channels: readonly Channel[], at: Instant): readonly Effect[] {
  const { alertId, number, action, group, severity, members, count } = notice;
  const [first] = members;
  const isTold = action === 'trigger' || action === 'repeat';
  const noticeId = `${alertId}/${number}`;
  const subject = `fleet:${group ?? ''}`;
  return channels
    .filter(({ name }) => notice.channels.includes(name))
    .filter(({ takesAcknowledgements }) => action !== 'acknowledge' || takesAcknowledgements)
    .map(({ name }) => ({
      id: `${noticeId}/to/${name}`,
      // With the agent's id, the receipt is recorded beside its incident.
      agentId: count === 1 ? (first?.agentId ?? subject) : subject,
      incarnation: 0,
      executor: null,
      livesBy: lifeOfFleet(group ?? ''),
      until: later(at, isTold ? alertTimes.repeatMs : END_MS_MAX),
      kind: 'notify',
      audience: 'operator',
      severity,
      message: `${action} ${notice.topic}`,
      incidentId: count === 1 ? (first?.incidentId ?? null) : null,
      via: { channel: name, noticeId },
      alert: notice,
    }));
}
