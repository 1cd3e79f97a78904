import { type Instant, instant } from '@holter/core/time';
import type { AgentView, IncidentView, PulseView } from '@holter/server/local';
import { stepInWords, threeLines } from '../../explain/explain-agent.ts';
import { colourOfState, type Paint, printable } from '../../terminal/paint.ts';
import { ago, dollars, nth, short, timeOfDay, until, wrapped } from '../../terminal/words.ts';
import type { State } from '../state/state.ts';
import { fitted } from './row-line.ts';

const STEPS = ['nudge', 'escalate', 'terminate', 'recover', 'human'] as const;
const WORDS_MAX = 8;
/** Of the room below, while there is output too. */
const CALLS_SHARE = 0.4;
const CALLS_MIN = 2;

/** One agent: what is wrong, its ladder, its newest calls, and the end of its output. */
export function agentLines(
  { detail, size, agentId }: State,
  height: number,
  paint: Paint,
): readonly string[] {
  if (!detail) return [paint('dim', `asking about ${agentId ?? 'the agent'}…`)];
  const { agent, pulse, log } = detail;
  const now = instant(agent.at);
  const { columns } = size;
  const [how, because, next] = threeLines(agent, now);
  // The decisions are a key away here.
  const comes = agent.incident && !agent.quiet ? `Next: ${stepInWords(agent.incident, now)}.` : next;
  const top = [
    paint(colourOfState(agent.state), fitted(how, columns)),
    ...[because, comes]
      .map(printable)
      .flatMap((line) => wrapped(line, columns))
      .slice(0, WORDS_MAX),
    paint('dim', fitted(factsOf(agent), columns)),
    ladderOf(agent.incident, now, paint),
  ];
  const room = Math.max(0, height - top.length - 2);
  const callsMax = Math.max(CALLS_MIN, Math.floor(room * (log.length > 0 ? CALLS_SHARE : 1)));
  const calls = callLines(pulse, columns, paint).slice(0, callsMax);
  const tail = room > calls.length ? log.slice(calls.length - room) : [];
  return [
    ...top,
    paint('dim', calls.length === 0 ? 'no calls seen' : 'calls, newest first'),
    ...calls,
    paint('dim', tail.length === 0 ? 'no output seen' : 'output'),
    ...tail.map((line) => fitted(line, columns)),
  ];
}

const MODES: Readonly<Record<AgentView['mode'], string>> = {
  observe: 'Holter only watches',
  nudge: 'Holter may nudge',
  act: 'Holter may act',
};

function factsOf({ role, group, mode, tokens, costUsd, incarnation, task }: AgentView): string {
  const work = task ? `, task ${task.taskId}` : '';
  return `role ${role}, group ${group}, ${nth(incarnation)} start, ${MODES[mode]}, ${short(tokens)} tokens, ${dollars(costUsd)}${work}`;
}

/** The steps of the incident: those behind it, where it stands, and when the next is due. */
function ladderOf(incident: IncidentView | null, now: Instant, paint: Paint): string {
  if (!incident) return paint('dim', 'no incident');
  const { step: current, attempt, next, openedAt } = incident;
  const at = STEPS.indexOf(current);
  const steps = STEPS.map((step, index) => {
    if (index === at) return paint('bold', `[${attempt > 1 ? `${step} ${attempt}` : step}]`);
    if (index > at && step === next.step) return `${step} ${until(next.at, now)}`.trimEnd();
    return paint('dim', step);
  });
  return `${steps.join(' → ')}  ${paint('dim', `opened ${ago(openedAt, now)}`)}`;
}

function callLines(pulse: PulseView | null, columns: number, paint: Paint): readonly string[] {
  return (pulse?.newestCalls ?? []).map(({ tool, input, output, begunAt, endedAt, isError }) => {
    const how = endedAt === null ? 'running' : isError ? 'failed' : lasted(endedAt - begunAt);
    const result = output === null ? '' : ` → ${output}`;
    const text = `${timeOfDay(begunAt)}  ${how.padEnd(7)}  ${tool} ${input ?? ''}${result}`;
    return paint(isError ? 'red' : endedAt === null ? 'cyan' : 'dim', fitted(text, columns));
  });
}

const lasted = (ms: number): string =>
  ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
