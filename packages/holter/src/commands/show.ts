import { type Instant, instant } from '@holter/core/time';
import type { AgentView, FinalStatePage } from '@holter/server/local';
import type { Command } from 'commander';
import { noteShown } from '../caller/note-shown.ts';
import { ask } from '../client/ask.ts';
import { type Connection, findServer, type ServerOptions, withServer } from '../client/connection.ts';
import { newestEvents } from '../client/newest-events.ts';
import { breakerInWords } from '../explain/breaker-in-words.ts';
import { eventLine } from '../explain/event-line.ts';
import {
  endedInWords,
  holdInWords,
  isProcessOnly,
  promisesOnlyToRun,
  stateInWords,
  stepInWords,
  whyEnded,
} from '../explain/explain-agent.ts';
import { inferredInWords } from '../explain/inferred-in-words.ts';
import { nudgesInWords } from '../explain/nudges-in-words.ts';
import { patienceInWords } from '../explain/patience-in-words.ts';
import { readyInWords } from '../explain/ready-in-words.ts';
import { hasEnded } from '../explain/state-order.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { colourOfState, type Paint, painter, printable } from '../terminal/paint.ts';
import { cutTo } from '../terminal/table.ts';
import { ago, counted, dollars, lasted, moment, nth, until } from '../terminal/words.ts';

type ShowOptions = ServerOptions & { readonly json?: boolean; readonly final?: boolean };

const EVENTS_SHOWN = 100;
const LABEL_WIDTH = 15;

export function registerShow(program: Command, io: Io): void {
  withExamples(
    withServer(
      program
        .command('show')
        .description('show everything about one agent, and the events of its open incident')
        .argument('<agent>', 'its id')
        .option('--final', 'how each of its starts ended')
        .option('--json', 'print JSON'),
    ),
    [
      ['holter show worker-7', 'its state, promises, findings and incident'],
      ['holter show worker-7 --final', 'how each of its starts ended'],
      ['holter show worker-7 --json', 'for a program'],
    ],
  ).action((agentId: string, options: ShowOptions) =>
    options.final ? showFinal(io, agentId, options) : show(io, agentId, options),
  );
}

async function showFinal(io: Io, agentId: string, options: ShowOptions): Promise<void> {
  const connection = findServer(io, options, 'operator');
  const { finalStates } = await ask(connection, (client) => client.finalStates(agentId));
  if (options.json) {
    io.out(`${JSON.stringify({ agentId, finalStates })}\n`);
    return;
  }
  if (finalStates.length === 0) {
    io.out(`${agentId} has not ended yet\n`);
    return;
  }
  for (const each of finalStates) io.out(`${finalLines(each).map(printable).join('\n')}\n`);
}

function finalLines({ incarnation, startedAt, state, end, ...known }: FinalState): readonly string[] {
  const { task, checkpoint, findings } = known;
  const ended = end
    ? `${endedInWords(end)} at ${moment(end.at)}: ${whyEnded(end)}`
    : `was ${state}, and replaced before its end was known`;
  return [
    `${nth(incarnation)} start, at ${moment(startedAt)}: ${ended}`,
    ...(task ? [`  task ${task.taskId}${task.percent === null ? '' : `, ${task.percent} % done`}`] : []),
    ...(checkpoint ? [`  checkpoint ${checkpoint.checkpointId}, ${moment(checkpoint.at)}`] : []),
    ...findings.map(({ severity, kind, evidence }) => `  ${severity} ${kind}: ${evidence}`),
  ];
}

async function show(io: Io, agentId: string, options: ShowOptions): Promise<void> {
  const connection = findServer(io, options, 'operator');
  const agent = await ask(connection, (client) => client.agent(agentId));
  const { breakers } = await ask(connection, (client) => client.breakers(agentId));
  if (options.json) {
    io.out(`${JSON.stringify({ ...agent, breakers })}\n`);
    return;
  }
  const paint = painter(io);
  const now = instant(agent.at);
  const lines = [
    ...facts(agent, now),
    ...breakers.map((breaker): Line => ['breaker', breakerInWords(breaker, now)]),
    ...trouble(agent, now),
  ].map(([label, text]) => {
    const painted = label === 'state' ? paint(colourOfState(agent.state), text) : text;
    return `${paint('dim', label.padEnd(LABEL_WIDTH))}${fitLine(painted, text, io.width)}`;
  });
  io.out(`${lines.join('\n')}\n${await story(io, agent, connection, paint)}`);
  await noteShown(io, connection, [agent.incident]);
}

type FinalState = FinalStatePage['finalStates'][number];
type Line = readonly [label: string, text: string];

function facts(agent: AgentView, now: Instant): readonly Line[] {
  const { task, checkpoint } = agent;
  const done = task?.percent === null || task === null ? '' : `, ${task.percent} % done`;
  return [
    ['agent', `${agent.agentId} (${nth(agent.incarnation)} start, role ${agent.role}, group ${agent.group})`],
    ...lifeLines(agent, now),
    [
      'mode',
      `${agent.mode}; can be ${agent.can.map((what) => CAN_BE[what] ?? what).join(', ') || 'watched only'}`,
    ],
    ...patienceLine(agent),
    ['promised', promisesInWords(agent)],
    ...inferredLine(agent),
    ['task', task ? `${task.taskId}, assigned ${ago(task.assignedAt, now)}${done}` : 'none'],
    ...otherTasksLine(agent),
    ['checkpoint', checkpoint ? `${checkpoint.checkpointId}, ${ago(checkpoint.at, now)}` : 'none'],
    ['used', `${agent.tokens ?? '–'} tokens, cost ${dollars(agent.costUsd)}`],
  ];
}

function lifeLines(agent: AgentView, now: Instant): readonly Line[] {
  const { state, stateSince, liveness, cause, presence, lastSignAt, lastProgressAt } = agent;
  const signs: Line = ['heard', `${ago(lastSignAt, now)}; progress ${ago(lastProgressAt, now)}`];
  const isSilent = lastSignAt === null && promisesOnlyToRun(agent);
  if (hasEnded(agent)) return [['state', stateInWords(agent, now)], ...(isSilent ? [] : [signs])];
  return [
    ['state', `${state} for ${lasted(stateSince, now)}`],
    ['alive', `${liveness}${cause ? ` (${cause})` : ''}, ${presence}`],
    ...(isSilent ? [] : [signs]),
  ];
}

function otherTasksLine({ agentId, otherTasks }: AgentView): readonly Line[] {
  if (otherTasks.length === 0) return [];
  return [['', `${counted(otherTasks.length, 'more open task')}: holter task list --agent ${agentId}`]];
}

function patienceLine({ patience }: AgentView): readonly Line[] {
  return patience ? [['longer limits', patienceInWords(patience)]] : [];
}

/** Told apart from what it promised: by these it is only warned about. */
function inferredLine({ inferred }: AgentView): readonly Line[] {
  return inferred.length === 0 ? [] : [['inferred', inferred.map(inferredInWords).join(', ')]];
}

const CAN_BE: Readonly<Record<string, string>> = {
  nudge: 'nudged',
  'deny-call': 'kept from a call',
  terminate: 'stopped',
  spawn: 'restarted',
  resume: 'resumed',
};

function promisesInWords(agent: AgentView): string {
  if (isProcessOnly(agent)) return 'to run; only its process is watched, not what it does';
  return Object.entries(agent.promises).map(promiseInWords).join(', ') || 'nothing';
}

function promiseInWords([name, value]: readonly [string, unknown]): string {
  if (name === 'beatEverySeconds') return `a beat every ${String(value)} s`;
  return name === 'process' ? 'to run' : name;
}

function trouble(agent: AgentView, now: Instant): readonly Line[] {
  const lines: Line[] = [];
  for (const hold of agent.holds)
    lines.push([
      'on hold',
      `${holdInWords(hold.kind)}, for ${lasted(hold.since, now)}${hold.until ? `, until ${moment(hold.until)}` : ''}`,
    ]);
  for (const { severity, kind, evidence, threshold } of agent.findings)
    lines.push(['finding', `${severity} ${kind}: ${evidence} (limit: ${threshold})`]);
  const { incident, quiet, quietFindings, end } = agent;
  const left = (at: number): string => until(at, now).replace(/^in/, 'for');
  if (incident)
    lines.push(
      [
        'incident',
        `${incident.incidentId}, ${incident.cause}, opened ${ago(incident.openedAt, now)}, at ${incident.step} ${incident.attempt}`,
      ],
      ...(incident.nudges ? [['nudges', nudgesInWords(incident.nudges)] as const] : []),
      ['next', stepInWords(incident, now)],
    );
  const ready = readyInWords(agent, now);
  if (ready !== null) lines.push(['ready', ready]);
  if (incident?.acknowledged) {
    const { by, at, reason } = incident.acknowledged;
    lines.push(['acknowledged', `${ago(at, now)} by ${by}: ${reason}`]);
  }
  if (quiet) lines.push(['snoozed', `${left(quiet.until)} by ${quiet.by}: ${quiet.reason}`]);
  for (const { kind, until: over, by, reason } of quietFindings)
    lines.push(['snoozed', `about ${kind} ${left(over)} by ${by}: ${reason}`]);
  if (end) lines.push(['ended', `${ago(end.at, now)}: ${end.detail}`]);
  return lines;
}

/** The events of the open incident; without one, how to list all events. */
async function story(
  io: Io,
  { agentId, incident }: AgentView,
  connection: Connection,
  paint: Paint,
): Promise<string> {
  if (!incident) return paint('dim', `its events: holter events --agent ${agentId}\n`);
  const { incidentId } = incident;
  const events = await newestEvents(connection, { agentId, incidentId }, EVENTS_SHOWN);
  const more =
    events.length < EVENTS_SHOWN
      ? ''
      : paint('dim', `earlier: holter events --agent ${agentId} --tail 1000\n`);
  return `\n${more}${events.map((event) => `${eventLine(event, io.width, paint)}\n`).join('')}`;
}

const fitLine = (painted: string, text: string, width: number): string =>
  text.length + LABEL_WIDTH <= width
    ? printableUnlessPainted(painted, text)
    : cutTo(printable(text), width - LABEL_WIDTH);

const printableUnlessPainted = (painted: string, text: string): string =>
  painted === text ? printable(text) : painted;
