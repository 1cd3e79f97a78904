import type { DurationMs, Instant } from '../base/time.ts';

export type NoticeSeverity = 'info' | 'warning' | 'critical';

/** What an alert can be about. The first three are seed 000 §7. */
export const ALERT_TOPICS = [
  'stuck_agent',
  'circuit_breaker_open',
  'recovery_failed',
  'waiting_for_person',
  'limit_exceeded',
  'agent_failed',
  'holter_unwell',
] as const;

export type AlertTopic = (typeof ALERT_TOPICS)[number];

/** Where alerts about one topic go. */
export type AlertRoute = { readonly channels: readonly string[]; readonly severity: NoticeSeverity };

/** Something that holds now, and that somebody should be told. */
export type Condition = AlertRoute & {
  /** The same for as long as the condition lasts, and when it comes back. */
  readonly key: string;
  readonly topic: AlertTopic;
  /** Null for what concerns Holter itself. */
  readonly group: string | null;
  /** Null for what concerns a whole group. */
  readonly agentId: string | null;
  readonly incidentId: string | null;
  /** One sentence. */
  readonly summary: string;
  readonly since: Instant;
  /** It has lasted for a time of its own, so it is told without waiting for others. */
  readonly isLasting?: true;
  /** It is told again sooner than others. */
  readonly repeatMs?: DurationMs;
  /** Somebody has seen it. */
  readonly isAcknowledged?: true;
  /** What is told instead of it, or why it is not told now: a brake, the parent's incident, a maintenance window. */
  readonly inhibitedBy?: string;
};

/** `trigger` tells it, `repeat` tells it again, `acknowledge` and `resolve` end it where it was told. */
export type AlertAction = 'trigger' | 'repeat' | 'acknowledge' | 'resolve';

/** One condition as a notice tells it. */
export type AlertMember = Pick<Condition, 'agentId' | 'incidentId' | 'summary' | 'since'>;

/** Answers to the question of an incident. */
export type AlertDecision =
  | 'allow_more_time'
  | 'force_handoff'
  | 'terminate_and_recover'
  | 'recover'
  | 'leave_down';

/** One notice to be sent: about one alert, which is one or more conditions that were told together. */
export type AlertNotice = AlertRoute &
  Pick<Condition, 'topic' | 'group'> & {
    readonly alertId: string;
    readonly action: AlertAction;
    /** The how manyth notice of this alert. */
    readonly number: number;
    /** At most `MEMBERS_TOLD`. */
    readonly members: readonly AlertMember[];
    /** Of all members. */
    readonly count: number;
    /** What may be decided about its one agent, as the page names it. */
    readonly decisions?: readonly AlertDecision[];
    /** It came and went this often within an hour; it is not told again until it has been away for a while. */
    readonly flaps?: number;
  };

export const MEMBERS_TOLD = 20;
