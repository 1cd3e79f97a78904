import { limitMeanings } from '@holter/core';
import type { LimitName } from './detection-fields.ts';
import type { OVERRIDE_FIELDS, WRITTEN_FIELDS } from './fields.ts';
import type { SHARED_FIELDS } from './shared-fields.ts';

/**
 * What each setting of `holter.yaml` does and why its default is what it is, in a sentence or two. The reference in
 * docs/reference is made of this table; the compiler asks for a sentence for every setting.
 */
type DetectionLimit = `detection.${string}.warn` | `detection.${string}.act`;
type Setting = Exclude<keyof typeof WRITTEN_FIELDS | keyof typeof SHARED_FIELDS, DetectionLimit>;

const breakers = 'health_monitoring.circuit_breaker';

export const MEANINGS: Readonly<Record<Setting, string>> = {
  channels: 'Where alerts can be sent, by name; docs/alerts.md has the keys of each type.',
  public_url:
    "Where people reach the page, for links in alerts; else the server's own address. Its name is accepted like those of `hosts`.",
  database:
    'Where the data is: `sqlite` in the data folder, or a PostgreSQL database; `holter up --database` and `HOLTER_DATABASE` come first.',
  hosts:
    'Names by which the server may be called, besides localhost and the address it listens on; others are refused, because a web page could use them to reach it (DNS rebinding).',
  trusted_proxies:
    'Addresses of proxies whose X-Forwarded-For, X-Forwarded-Host and X-Forwarded-Proto are believed; from all others these headers are ignored.',
  'tls.cert':
    'Certificate in PEM, with its chain; `holter up --tls-cert` comes first. SIGHUP reloads both files.',
  'tls.key': 'Its private key in PEM, without a passphrase; `holter up --tls-key` comes first.',
  drain:
    'How long the server goes on serving after SIGTERM while `/ready` says draining, so that a load balancer can notice.',
  'health_monitoring.enabled': 'Whether agents are judged at all.',
  'health_monitoring.heartbeat.interval_seconds':
    'How often an agent that promises beats without an interval of its own has to beat.',
  'health_monitoring.heartbeat.timeout_seconds':
    'Silence after which it is unknown whether the agent is alive; counted in whole intervals.',
  'health_monitoring.health_check.interval_seconds':
    'How often the process of an agent is checked; four times as often while something is wrong.',
  'health_monitoring.health_check.checkpoint_stale_threshold_seconds':
    'Age of the last checkpoint at which an agent with a task is STUCK.',
  'health_monitoring.intervention.nudge.enabled': 'Whether agents are nudged.',
  'health_monitoring.intervention.nudge.max_attempts': 'Nudges before the incident escalates.',
  'health_monitoring.intervention.nudge.interval_seconds':
    'Wait between two nudges; a fast loop is nudged sooner, see `rules.nudge_repeats_max`.',
  'health_monitoring.intervention.escalation.timeout_seconds':
    'How long an escalation waits for a decision before the next step.',
  'health_monitoring.intervention.termination.cleanup_timeout_seconds':
    'Time between SIGTERM and SIGKILL, to clean up.',
  [`${breakers}.default.failure_threshold`]: 'Failures in a row that open a circuit breaker.',
  [`${breakers}.default.recovery_timeout_seconds`]:
    'How long an open breaker refuses calls before one may try; doubles, up to an hour, while calls keep failing.',
  [`${breakers}.default.half_open_requests`]: 'Trial calls that a half-open breaker lets through at once.',
  [`${breakers}.overrides`]: 'Settings of single breakers, by their name.',
  'health_monitoring.alerting.stuck_agent.channels': 'Channels that get alerts about an agent that is stuck.',
  'health_monitoring.alerting.stuck_agent.severity': 'Severity of alerts about an agent that is stuck.',
  'health_monitoring.alerting.stuck_agent.when':
    'When they are told: as soon as the agent is STUCK and when a decision is asked for, or only then.',
  'health_monitoring.alerting.stuck_agent.orchestrator':
    'Channels of the orchestrator, which is told in both cases; they do not belong to `all`.',
  'health_monitoring.alerting.circuit_breaker_open.channels':
    'Channels that get alerts about an open breaker.',
  'health_monitoring.alerting.circuit_breaker_open.severity': 'Severity of alerts about an open breaker.',
  'health_monitoring.alerting.recovery_failed.channels':
    'Channels that get alerts about an agent whose restarts have failed.',
  'health_monitoring.alerting.recovery_failed.severity':
    'Severity of alerts about an agent whose restarts have failed.',
  'health_monitoring.alerting.waiting_for_person.channels':
    'Channels that get alerts about an agent that waits for a person.',
  'health_monitoring.alerting.waiting_for_person.severity':
    'Severity of alerts about an agent that waits for a person.',
  'health_monitoring.alerting.waiting_for_person.after':
    'How long an agent may wait for a permission or an answer before somebody is told.',
  'health_monitoring.alerting.limit_exceeded.channels':
    'Channels that get alerts about an agent over its limit.',
  'health_monitoring.alerting.limit_exceeded.severity': 'Severity of alerts about an agent over its limit.',
  'health_monitoring.alerting.agent_failed.channels':
    'Channels that get alerts about an agent that is gone or failing, and about a mass failure.',
  'health_monitoring.alerting.agent_failed.severity':
    'Severity of alerts about an agent that is gone or failing, and about a mass failure.',
  'health_monitoring.alerting.holter_unwell.channels':
    'Channels that get alerts about problems of Holter itself.',
  'health_monitoring.alerting.holter_unwell.severity': 'Severity of alerts about problems of Holter itself.',
  'health_monitoring.recovery.max_attempts_per_task': 'Restarts for one task; 0 never restarts.',
  'health_monitoring.recovery.max_attempts_per_hour': 'Restarts within one hour; 0 never restarts.',
  'health_monitoring.recovery.backoff_seconds':
    'Waits before the first, second, … restart; the last one repeats.',
  'rules.slack_share': 'How late a beat may be, as a share of the interval: for slow networks.',
  'rules.slack_min': 'The least slack that a beat gets.',
  'rules.slack_max': 'The most slack that a beat gets.',
  'rules.inquiry_wait': 'How long a silent agent has to answer when it is asked whether it is alive.',
  'rules.checkpoint_warn': 'Age of the last checkpoint at which an agent with a task is DEGRADED.',
  'rules.silence_warn':
    'Time without a call, a message or a token at which an agent with work is DEGRADED; model calls of four minutes exist.',
  'rules.silence_act': 'Time without a call, a message or a token at which it is STUCK.',
  'rules.silence_act_in_probation':
    'The same for an agent that was just restarted: after this time it has not started on its task.',
  'rules.freeze_flat':
    'Time without CPU, I/O or a busy child after which a silent process is frozen; longer than any model call that gives no sign of being retried.',
  'rules.freeze_stopped': 'How long a process may stay suspended (Ctrl-Z) before it is reported.',
  'rules.freeze_step': 'The first step of an incident about a frozen agent.',
  'rules.failures_in_row_max': 'Failures in a row that an agent may report before it is FAILING.',
  'rules.error_rate_max': 'Share of failed calls from which an agent is DEGRADED.',
  'rules.error_rate_clear':
    'Share of failed calls below which it is well again; the difference keeps it from flapping.',
  'rules.error_window_calls': 'Newest calls over which the share is counted.',
  'rules.error_calls_min': 'Calls that are needed before the share counts.',
  'rules.unrecoverable_step':
    'The first step of an incident about an agent that reports that it cannot continue.',
  'rules.watch':
    'What an agent is judged by: `tasks` leaves out beats, pings and everything else that it may owe while it works.',
  'rules.task_stall': 'Time without an update, past its expected end, after which a task is overdue.',
  'rules.ack_urgent': 'Time to acknowledge an urgent message; then the incident escalates.',
  'rules.ack_high':
    'Time to acknowledge a message of high priority: a reminder, and after twice the time a decision.',
  'rules.ack_normal': 'Time to acknowledge a normal message; then a reminder.',
  'rules.ack_low': 'Time to acknowledge a message of low priority; then it is recorded.',
  'rules.hold_waiting_for_input':
    'How long an agent may wait for a person before it is DEGRADED as forgotten; never a reason to stop it.',
  'rules.hold_waiting_for_permission': 'The same for a wait for a permission.',
  'rules.hold_awaiting_gate': 'The same for a wait for an approval elsewhere.',
  'rules.hold_rate_limited': 'The same for a rate limit.',
  'rules.hold_in_tool': 'The same for one open tool call.',
  'rules.hold_asleep': 'The same for an agent that reports that it sleeps.',
  'rules.hold_paused_by_operator': 'The same for paused monitoring.',
  'rules.hold_hibernated': 'The same for a hibernated agent.',
  'rules.own_hold_share_max':
    'Share of time in which holds that an agent declares itself stop the clock: a wait may become four times as long.',
  'rules.settle': 'How long an improvement has to last before the state improves.',
  'rules.nudge_repeats_max':
    'So many repeats after a nudge count as the whole wait, so that a fast loop is nudged again sooner.',
  'rules.unattended':
    'Whether Holter may stop and restart agents in mode `act` while nobody has seen the escalation.',
  'rules.handoff_wait':
    'Time that an agent has to write a handoff note before it is stopped (`force_handoff`); at least a minute.',
  'rules.termination_answer':
    'Time on top of the clean-up for the answer of the executor; then a person is told.',
  'rules.termination_attempts_max': 'How often a termination is tried.',
  'rules.probation': 'How long a restarted agent is watched more closely before the recovery counts as done.',
  'rules.start_wait': 'How long a restarted agent has to register.',
  'rules.incident_close_after': 'How long the agent has to be well before its incident closes.',
  'rules.incident_reopen_within': 'Time in which the same trouble reopens the incident instead of a new one.',
  'limits.tokens_max': 'Tokens that one start of an agent may use.',
  'limits.cost_usd_max': 'Dollars that one start of an agent may cost.',
  'limits.runtime_max': 'How long one start of an agent may run.',
  'limits.memory_max': 'Memory of its whole process tree.',
  'limits.step': 'The first step of an incident about an exceeded limit.',
  prices:
    'Dollars per million tokens, by model; comes before the prices that Holter ships. See docs/cost.md.',
  'budgets.run.usd': 'Dollars that one start of an agent may spend, as far as prices are known.',
  'budgets.run.tokens': 'Tokens that one start of an agent may use, cache included.',
  'budgets.run.warn_at': 'Share of the budget at which people are warned.',
  'budgets.run.at_limit':
    'What follows when it is used up: `warn` tells people, `nudge`, `escalate` and `stop` are where the incident begins.',
  'budgets.task.usd': 'Dollars that an agent may spend on one task, restarts included.',
  'budgets.task.tokens': 'Tokens that an agent may use for one task, restarts included.',
  'budgets.task.warn_at': 'Share of the budget at which people are warned.',
  'budgets.task.at_limit': 'What follows when it is used up.',
  'budgets.agent.usd': 'Dollars that an agent may spend in one day (UTC), restarts included.',
  'budgets.agent.tokens': 'Tokens that an agent may use in one day (UTC), restarts included.',
  'budgets.agent.warn_at': 'Share of the budget at which people are warned.',
  'budgets.agent.at_limit': 'What follows when it is used up.',
  'budgets.group.usd': 'Dollars that the agents of a group together may spend in one day (UTC).',
  'budgets.group.tokens': 'Tokens that the agents of a group together may use in one day (UTC).',
  'budgets.group.warn_at': 'Share of the budget at which people are warned.',
  'budgets.group.at_limit': 'What follows for each agent of the group that keeps spending.',
  'budgets.day.usd': 'Dollars that all agents together may spend in one day (UTC).',
  'budgets.day.tokens': 'Tokens that all agents together may use in one day (UTC).',
  'budgets.day.warn_at': 'Share of the budget at which people are warned.',
  'budgets.day.at_limit': 'What follows for each agent that keeps spending.',
  'detection.spending.tokens':
    'Warn about an agent that has used this many tokens without changing a file or a result; about 40 calls of a large model.',
  'detection.spending.cost_usd': 'Warn about an agent that has spent this much without changing anything.',
  'detection.spaced':
    'The same call again after at least this long is a poll, not a loop; a model turn takes 2 to 15 s.',
  'detection.pollers': 'Exact names of further tools whose calls are polls.',
  'progress_detection.checkpoint_comparison': 'Whether the age of the last checkpoint is judged.',
  'progress_detection.tool_call_analysis.repeated_identical':
    'What `repeated-call`, `call-cycle` and `zero-diversity` mean: `potential_loop` only warns, `healthy` is not judged.',
  'progress_detection.tool_call_analysis.no_calls_threshold': 'Another name of `rules.silence_act`.',
  'progress_detection.tool_call_analysis.diverse_calls':
    'Calls with new results always count as progress; no other value is accepted.',
  'progress_detection.token_consumption.sudden_spike':
    'What `token-spike` means: it only warns, or is not judged.',
  'progress_detection.token_consumption.zero_consumption':
    'What `token-flat` means: `potential_loop` only warns, `healthy` is not judged.',
  'progress_detection.token_consumption.steady_rate':
    'A usual rate never raises a finding; no other value is accepted.',
  'fleet.brake.losses_min':
    'Agents of one group that have to be lost at once before the brake holds actions back.',
  'fleet.brake.share':
    'Share of the group that has to be lost, too; then the network or Holter is the likelier cause.',
  'fleet.brake.calm': 'Time without a further loss after which the brake is released.',
  'fleet.brake.release_every': 'While it is being released, one waiting action passes per this time.',
  'fleet.budgets.nudge.per_minute': 'Nudges a minute for the whole fleet.',
  'fleet.budgets.nudge.burst': 'Nudges at once.',
  'fleet.budgets.notice.per_minute': 'Notices to people a minute.',
  'fleet.budgets.notice.burst': 'Notices at once.',
  'fleet.budgets.start.per_minute': 'Restarts a minute for the whole fleet.',
  'fleet.budgets.start.burst': 'Restarts at once.',
  'quotas.per_agent.checkpoint_bytes': 'Size of all checkpoints of one agent; the oldest make room.',
  'quotas.per_agent.checkpoints': 'Checkpoints of one agent; the oldest make room.',
  'quotas.per_agent.tokens': 'Tokens of the starts of one agent; the newest are valid.',
  'quotas.per_agent.starts_per_minute':
    'Starts of one agent in a minute that are not registered with the token of an operator.',
  'quotas.per_agent.audit_rows_per_minute':
    'Events of one type that one agent can cause in a minute; further ones are counted in one row.',
  'quotas.per_agent.audit_bytes_per_minute': 'Text in events that one agent can cause in a minute.',
  'quotas.per_agent.requests_per_second': 'Requests a second with the token of an agent.',
  'quotas.per_token.requests_per_second': 'Requests a second with any other token.',
  'quotas.per_token.agents':
    'Agents that one token has registered and that have not ended; as many ended ones are kept.',
  'quotas.per_token.streams': 'Event streams that one token may have open.',
  'quotas.streams': 'Event streams of all tokens; a fifth is only for operators.',
  'metrics.per_agent': 'Whether `/metrics` has series of single agents, with their names as labels.',
  'dead_man_ping.url':
    'An https address outside (http only for this machine) that is pinged while Holter is well; `/fail` is added while it is not. The service behind it alerts you when the pings stop.',
  'dead_man_ping.url_env': 'The variable that holds the address.',
  'dead_man_ping.url_file': 'The file that holds the address.',
  'dead_man_ping.every': 'How often it is pinged; let the service expect a ping within twice this time.',
  'tracing.endpoint':
    'Where traces are sent by OTLP; `/v1/traces` is added. Default: `OTEL_EXPORTER_OTLP_ENDPOINT`, else nothing is traced.',
  'tracing.heartbeat_ratio':
    "Share of agents' calls that are traced, beside those with a sampled `traceparent`.",
  'tracing.check_ratio': 'Share of health checks that are traced.',
  'log.max_bytes': 'Size at which `server.log` in the data folder becomes `server.log.1`.',
  'log.files': 'Log files that are kept, the current one included.',
  'mail.name': "Holter's own name in the post: agents write to it, and its letters come from it.",
  maestro_port:
    'A port of this machine where agents call `/api/messages` without a token, as in seed 001; also `holter up --maestro-port`. What comes there is marked as unverified. Read at the start only. Default: none.',
  'top.triage_command':
    'Program and arguments of the coding agent that `holter top` starts for a ticket; `{prompt}` is replaced by the ticket, which otherwise comes last, and `{mcp_config}` by a configuration of `holter mcp`.',
  'ecos.folder':
    'A project in which `.ecos/agent-health` shows agents, tasks and incidents as in seed 001; also `holter up --ecos`, which comes first. A relative path begins at this file. SIGHUP changes it. Default: none.',
  'tmux.escape_hung_model':
    'Whether `holter tmux watch` may press Escape in the pane of an agent that hangs at its model: a nudge is sent, and Escape cancels the request.',
  'tmux.hung_model_after':
    'How long such an agent has to work without new text on its screen and without a child process at work; longer than the agent itself waits for its model.',
  'town.socket':
    'Name or path of the tmux socket on which the sessions of the town run; `--socket` comes first. Default: the one that tmux uses.',
  'town.deacon_command':
    'Program and arguments of the agent that patrols in the session `hq-deacon`. Default: `holter deacon run`.',
  'town.boot_command':
    'Program and arguments of what is asked before Boot wakes or nudges the Deacon: it reads what was seen as JSON and prints WAKE, NUDGE or NOTHING. Default: none, the rules decide.',
  'town.agents':
    'Further sessions that `holter daemon` keeps running, by name: `command` is program and arguments, which `holter run` starts as an agent of this name; `group` is the group of the agent, such as a witness for each group.',
  'judge.folders':
    'Folders of sessions with logs of their steps (`sessions/ID/logs/tool_logs.jsonl`, `state.json`); the session at work in each is judged. A relative path begins at this file.',
  'judge.interval_seconds':
    'How often the judge looks at agents whose evidence has changed; see [the judge](../judge.md).',
  'judge.cooldown_seconds':
    'How long the same condition of an agent makes no further ticket, unless it gets worse.',
  'judge.streaks': 'Steps since the last ACCEPT that are a warning, and a medium, high and critical ticket.',
  'judge.stall_seconds': 'How long a session at work may make no step, if its steps are judged.',
  'judge.command':
    "Program and arguments that are asked about what rules can't decide: the question on stdin, one JSON object on stdout. Comes before `judge.model`.",
  'judge.model':
    'A service that is asked instead: `provider` is anthropic or openai (or compatible), `name` the model, `url` its address, `key_env` the variable that has the key.',
  'judge.prompt': 'Instructions for the model, instead of those that Holter ships.',
  'judge.timeout_seconds': 'How long an answer of the model may take.',
  'judge.command_env':
    'Variables of the server that the command gets, beside `PATH`, `HOME`, `USER`, `LANG`, `LC_ALL`, `TMPDIR` and `TZ`: its key, or the address of a proxy.',
  'judge.tokens_per_day': 'Tokens that the judge may use in a day (UTC); then rules decide.',
  'judge.usd_per_day':
    'Dollars that the judge may use in a day (UTC), by the [prices](../cost.md#prices); a command is priced by its name.',
  'retention.events':
    'How long events are kept. Everything of an agent with an open incident stays, here and below.',
  'retention.checkpoints': 'How long checkpoints are kept; the newest twenty of each agent stay.',
  'retention.effects': 'How long effects are kept after they were carried out or cancelled.',
  'retention.rollups': 'How long the hourly sums of each agent are kept, from which the history is drawn.',
  'retention.tokens': 'How long tokens that were revoked, and log-ins to the page, stay on record.',
  'retention.letters': 'How long letters between agents are kept, read or not.',
  'retention.agents':
    'How long agents are kept after they have ended, without an open incident; at least as long as events and effects.',
  'metrics.agents_max':
    'Agents with series of their own; those in trouble first, ended agents never. The rest is counted.',
};

/** What the `warn` and `act` of each detector count; each detector says it of its own. */
export const LIMIT_MEANINGS: Readonly<Record<LimitName, string>> = {
  ...limitMeanings,
  poll: 'Looks at something that does not change; they count only with the time that passes, five minutes and an hour.',
};

/** Keys that only overrides have, and breakers by name. */
export const SHORT_MEANINGS: Readonly<
  Record<Exclude<keyof typeof OVERRIDE_FIELDS, keyof typeof WRITTEN_FIELDS>, string>
> = {
  interval_seconds: 'Short for `health_monitoring.heartbeat.interval_seconds`.',
  missed_threshold: 'Beats that may be missed; stands in for `timeout_seconds`.',
  slack_seconds: 'How late a beat may be; stands in for the three `rules.slack_…`.',
  watch: 'Short for `rules.watch`.',
};

export const BREAKER_MEANINGS = {
  failure_threshold: 'Failures in a row that open it, in mode `consecutive`.',
  recovery_timeout_seconds: 'How long it refuses calls before one may try.',
  half_open_requests: 'Trial calls at once.',
  mode: 'What opens it: failures in a row, or a share of the newest calls that failed, or that failed or were slow.',
  ratio: 'The share, in the modes `ratio` and `slow`.',
  minimum_calls: 'Calls that are needed before the share counts.',
  window_calls: 'Newest calls over which the share is counted.',
  slow_seconds: 'From here on a call is slow, in mode `slow`.',
} as const;
