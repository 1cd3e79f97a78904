import { type Instant, instant, inWords, milliseconds } from '@holter/core/time';
import type { AgentView, IncidentView } from '@holter/server/local';
import { ago, lasted, until } from '../terminal/words.ts';
import { hasEnded, isWaitingForPerson } from './state-order.ts';

/** Three lines about an agent: its state, the reason, and what comes next. */
export function threeLines(agent: AgentView, now: Instant): readonly [string, string, string] {
  return [
    `${agent.agentId} ${stateInWords(agent, now)}.`,
    `Why: ${because(agent, now)}${clockInWords(agent)}`,
    `Next: ${next(agent, now)}`,
  ];
}

/** "has been STUCK for 5 s", "finished 5 s ago". */
export function stateInWords(agent: AgentView, now: Instant): string {
  const { end, state, stateSince, liveness } = agent;
  if (end && hasEnded(agent)) return `${endedInWords(end)} ${ago(end.at, now)}`;
  const life = liveness === 'alive' ? '' : `, and ${lifeInWords(agent)}`;
  return `has been ${state} for ${lasted(stateSince, now)}${life}`;
}

/** How it ended, without the reason. */
export function endedInWords({ how, byHolter }: NonNullable<AgentView['end']>): string {
  if (byHolter) return 'was stopped by Holter';
  if (how === 'exit-0') return 'finished';
  return how === 'stopped' ? 'was stopped' : 'failed';
}

/** How it ended, without when. */
export function endInWords({ how, detail }: NonNullable<AgentView['end']>): string {
  if (how === 'exit-0') return 'finished (exit 0)';
  return how === 'stopped' ? `stopped: ${detail}` : detail;
}

function lifeInWords({ liveness, cause, end }: AgentView): string {
  if (liveness === 'gone') return `it has ended (${end?.detail ?? cause ?? 'unknown'})`;
  return `it is not known whether it is alive (${cause ?? 'silence'})`;
}

/** What was seen, and what would count as progress; detectors say both in one sentence already. */
function seenInWords({ evidence, progress, namesProgress }: AgentView['findings'][number]): string {
  const seen = evidence.replace(/\.$/, '');
  return namesProgress ? seen : `${seen}; ${progress} would be progress`;
}

/** A state outlasts its finding for a while. */
const IS_WATCHED = 'what was wrong is resolved; it is watched for a while before it counts as healthy';

function because(agent: AgentView, now: Instant): string {
  const [lead] = agent.findings;
  const more = agent.findings.length - 1;
  if (lead) {
    const others = more > 0 ? ` And ${more} more: holter show ${agent.agentId}` : '';
    return `${seenInWords(lead)} (${lead.kind}; limit: ${lead.threshold}).${others}`;
  }
  if (agent.end && hasEnded(agent)) return `${whyEnded(agent.end)}.`;
  if (agent.end) return `it ended ${ago(agent.end.at, now)}: ${agent.end.detail}.`;
  if (agent.holds.length > 0)
    return `nothing is wrong; it is ${agent.holds.map((hold) => holdSince(hold, now)).join(' and ')}.`;
  if (agent.state !== 'HEALTHY' && agent.state !== 'TERMINATED') return `${IS_WATCHED}.`;
  if (isProcessOnly(agent)) return 'no findings; only its process is watched, not what it does.';
  const sign =
    agent.lastSignAt === null ? 'it has not been heard yet' : `last heard ${ago(agent.lastSignAt, now)}`;
  return `no findings; ${sign}${agent.isWorking ? '' : ', and it has no work'}.`;
}

export const promisesOnlyToRun = ({ promises, inferred }: AgentView): boolean =>
  inferred.length === 0 && Object.keys(promises).join() === 'process';

/** It runs, promised no more than that, and has reported nothing by itself: nothing else can be judged. */
export const isProcessOnly = (agent: AgentView): boolean => agent.end === null && promisesOnlyToRun(agent);

/** The line before has said how and when. */
export const whyEnded = ({ detail }: NonNullable<AgentView['end']>): string =>
  detail.replace(/^stopped by Holter: /, '').replace(/\.$/, '');

/** Less is the time that a beat takes. */
const SKEW_MS_SHOWN = 2_000;
const SKEW_MS_MAX = 30_000;

function clockInWords({ clockSkewMs }: AgentView): string {
  if (clockSkewMs === null || Math.abs(clockSkewMs) < SKEW_MS_SHOWN) return '';
  const off = `${inWords(milliseconds(Math.abs(clockSkewMs)))} ${clockSkewMs > 0 ? 'ahead' : 'behind'}`;
  const warning = Math.abs(clockSkewMs) > SKEW_MS_MAX ? ', so times that it reports are wrong' : '';
  return ` Its clock is ${off}${warning}.`;
}

const HOLDS: Readonly<Record<string, string>> = {
  'waiting-for-permission': 'waiting for your permission',
  'waiting-for-input': 'waiting for your answer',
  'awaiting-gate': 'waiting at a gate',
  'rate-limited': 'waiting for its usage limit to reset',
  'in-tool': 'running a tool',
  'paused-by-operator': 'not monitored, because monitoring is paused',
};

/** Why it rightly does nothing. */
export const holdInWords = (kind: string): string => HOLDS[kind] ?? kind.replaceAll('-', ' ');

function holdSince({ kind, since, mcpServer }: AgentView['holds'][number], now: Instant): string {
  if (mcpServer === null) return holdInWords(kind);
  return `waiting for MCP server ${mcpServer}, in a call that began ${ago(since, now)}`;
}

function next(agent: AgentView, now: Instant): string {
  const { incident, quiet, state } = agent;
  if (quiet)
    return `snoozed for ${until(quiet.until, now).replace(/^in /, '')} by ${quiet.by} (${quiet.reason}).`;
  if (!incident) {
    if (isWaitingForPerson(agent)) return 'answer where it runs.';
    return state === 'HEALTHY' || state === 'TERMINATED'
      ? 'nothing to do.'
      : "Holter keeps watching; you don't need to do anything yet.";
  }
  const choices = choicesOf(agent);
  const youCan = choices.length === 0 ? '' : ` You can: ${choices.join('  or  ')}`;
  return `${stepInWords(incident, now)}${toldInWords(incident, now)}.${youCan}`;
}

/** Who could have known, and since when. */
const toldInWords = ({ told }: IncidentView, now: Instant): string =>
  told.length === 0
    ? ''
    : `; told through ${told.map(({ channel, at }) => `${channel} ${ago(at, now)}`).join(', ')}`;

const steps: Readonly<Record<IncidentView['next']['step'], string>> = {
  nudge: 'the agent is nudged',
  escalate: 'you are asked to decide',
  terminate: 'the agent is stopped',
  recover: 'the agent is restarted',
  human: 'waiting for you',
  close: 'the incident closes',
};

export function stepInWords(incident: IncidentView, now: Instant): string {
  const { step, at, code, why, isUnseen } = incident.next;
  const isCalm = !incident.findings.some(({ severity }) => severity === 'act');
  if (isCalm && (incident.step === 'nudge' || incident.step === 'escalate'))
    return 'the incident closes, unless the problem comes back';
  const when = at === null ? '' : ` ${until(instant(at), now)}`;
  if (code === 'if-nobody-decides')
    return `${steps[step]}${when} unless you decide${isUnseen ? ' (not seen yet)' : ''}`;
  const isSaidByWhy = code === 'waits-for-person' || code === 'waits-for-person-only';
  return isSaidByWhy ? `${why}${when}` : `${steps[step]}${when} (${why})`;
}

type Word = keyof AgentView['decisions'];

/** How each decision is typed that an incident may call for, the mildest first. */
const COMMANDS: readonly (readonly [Word, command: string])[] = [
  ['allow_more_time', 'decide AGENT allow_more_time --minutes 15'],
  ['nudge', 'nudge AGENT'],
  ['force_handoff', 'decide AGENT force_handoff'],
  ['terminate_and_recover', 'terminate AGENT --recover'],
  ['terminate', 'terminate AGENT'],
  ['recover', 'recover AGENT'],
  ['replace', 'decide AGENT replace'],
  ['wrong', 'wrong AGENT'],
  ['leave_down', 'wrong AGENT'],
];

/** What would be accepted, as commands: what Holter recommends first, with its reason. */
function choicesOf({ agentId, decisions, recommended }: AgentView): readonly string[] {
  const typed = (command: string): string => `holter ${command.replace('AGENT', agentId)} --reason "…"`;
  const offered = COMMANDS.filter(([word]) => decisions[word] === null);
  const best = offered.find(([word]) => word === recommended?.decision);
  const others = offered.filter((each) => each !== best).map(([, command]) => typed(command));
  return best && recommended ? [`${typed(best[1])} (recommended: ${recommended.why})`, ...others] : others;
}
