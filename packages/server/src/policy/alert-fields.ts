import type { NoticeSeverity } from '@holter/core';
import { bad, describe, type Field, ok, type Table } from './check.ts';
import { ranges } from './ranges.ts';
import { duration, names, oneOf } from './readers.ts';

/** `all`: every channel that is defined, so that a channel works as soon as it is. */
type ChannelNames = readonly string[] | 'all';

const listed = names(ranges.channels, /^[A-Za-z0-9._:-]{1,64}$/);

const channels: Field<ChannelNames> = {
  takes: 'all, or a list of names of channels',
  read: (raw, path) => {
    if (raw === 'all') return ok('all');
    if (Array.isArray(raw)) return listed.read(raw, path);
    return bad(path, `must be all or a list of names of channels, not ${describe(raw)}`);
  },
  show: (value) => value,
};
const severity = oneOf<NoticeSeverity>(['info', 'warning', 'critical']);

/** Where alerts go, by topic; may differ from role to role, group to group and agent to agent. */
export const ALERT_FIELDS = {
  'health_monitoring.alerting.stuck_agent.channels': channels,
  'health_monitoring.alerting.stuck_agent.severity': severity,
  'health_monitoring.alerting.stuck_agent.when': oneOf<'stuck' | 'escalated'>(['stuck', 'escalated']),
  'health_monitoring.alerting.stuck_agent.orchestrator': listed,
  'health_monitoring.alerting.circuit_breaker_open.channels': channels,
  'health_monitoring.alerting.circuit_breaker_open.severity': severity,
  'health_monitoring.alerting.recovery_failed.channels': channels,
  'health_monitoring.alerting.recovery_failed.severity': severity,
  'health_monitoring.alerting.waiting_for_person.channels': channels,
  'health_monitoring.alerting.waiting_for_person.severity': severity,
  'health_monitoring.alerting.waiting_for_person.after': duration(ranges.alertAfter),
  'health_monitoring.alerting.limit_exceeded.channels': channels,
  'health_monitoring.alerting.limit_exceeded.severity': severity,
  'health_monitoring.alerting.agent_failed.channels': channels,
  'health_monitoring.alerting.agent_failed.severity': severity,
  'health_monitoring.alerting.holter_unwell.channels': channels,
  'health_monitoring.alerting.holter_unwell.severity': severity,
} as const satisfies Table;
