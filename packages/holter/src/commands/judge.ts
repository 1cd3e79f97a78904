import { resolve } from 'node:path';
import { realClock } from '@holter/server/local';
import type { JudgeCheckView, JudgeStatsView } from '@holter/server/wire';
import type { Command } from 'commander';
import { ask } from '../client/ask.ts';
import { findServer, type PrintOptions, withServer } from '../client/connection.ts';
import { CliFailure, EXIT } from '../terminal/failure.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { painter, printable } from '../terminal/paint.ts';
import { table } from '../terminal/table.ts';
import { counted, moment } from '../terminal/words.ts';
import { ticketInWords } from './ticket.ts';

type CheckOptions = PrintOptions & {
  readonly storage?: string;
  readonly session?: string;
  readonly config?: string;
};

/** A folder that no server watches has no earlier checks. */
type Check = Awaited<ReturnType<typeof checkFolder>> & Partial<Pick<JudgeCheckView, 'checks'>>;

const CHECKS_SHOWN = 5;

/** `holter judge`: what the judge of seed 003 says, and how right it was. */
export function registerJudge(program: Command, io: Io): void {
  const judge = program
    .command('judge')
    .description('check a session with the judge, and see how often it was right');

  withExamples(
    withServer(
      judge
        .command('check')
        .description('check a session once: the summary, the verdict, and the ticket if there would be one')
        .option('--storage <dir>', 'a folder of sessions, read without a server')
        .option('--session <id>', 'this session or agent (default: the one at work)')
        .option('--config <file>', 'with --storage: the file that has the bounds of the judge')
        .option('--json', 'print JSON'),
    ),
    [
      ['holter judge check --storage ~/agents/researcher', 'the session at work in this folder'],
      ['holter judge check --session worker-7', 'an agent that the server watches'],
    ],
  ).action(async (options: CheckOptions) => {
    const { storage, session, json } = options;
    const checked =
      storage === undefined
        ? await ask(findServer(io, options, 'viewer'), (client) =>
            client.judgeCheck({ ...(session !== undefined && { session_id: session }) }),
          )
        : await checkFolder(io, storage, options);
    io.out(json ? `${JSON.stringify(checked)}\n` : checkInWords(io, checked));
    if (checked.ticket) io.setExitCode(EXIT.foundWrong);
  });

  withExamples(
    withServer(
      judge
        .command('stats')
        .description('how many tickets there were, and how many were useful')
        .option('--json', 'print JSON'),
    ),
    [['holter judge stats', 'by day, and in all']],
  ).action(async (options: PrintOptions) => {
    const stats = await ask(findServer(io, options, 'viewer'), (client) => client.judgeStats());
    io.out(options.json ? `${JSON.stringify(stats)}\n` : statsInWords(io, stats));
  });
}

async function checkFolder(io: Io, storage: string, { session, config }: CheckOptions) {
  // Loaded here, because a check of a server does not need them.
  const { checkByHand, openFolder } = await import('@holter/server/judge');
  const { findConfigFile, loadConfig } = await import('@holter/server/config');
  const file = findConfigFile(config, io.env, io.workingDirectory);
  const loaded = loadConfig(file);
  if (loaded.kind === 'invalid')
    throw new CliFailure('the configuration is wrong', 'see what: holter config check', EXIT.usage);
  const { intervalMs, thresholds } = loaded.config.policies.judge;
  const at = realClock().now();
  const look = await openFolder(resolve(io.workingDirectory, storage), { wallNow: () => at })?.look(session);
  const found = look?.session;
  if (!found)
    throw new CliFailure(
      [
        session === undefined
          ? `no session is at work in ${storage}`
          : `there is no session ${session} in ${storage}`,
        ...(look?.faults ?? []),
      ].join('; '),
      'a folder of sessions has sessions/ID/state.json and sessions/ID/logs/tool_logs.jsonl',
    );
  const { evidence, startedAt } = found;
  return checkByHand(evidence, { at, startedAt, intervalMs, thresholds, newId: () => 'not written' });
}

function checkInWords(
  io: Io,
  { summary, verdict, reasoning, ticket, steps: made, checks = [] }: Check,
): string {
  const paint = painter(io);
  const steps = `${counted(summary.total_steps, 'step')}, ${summary.steps_since_last_accept} judged since the last ACCEPT`;
  const still = summary.stall_minutes === null ? '' : `, no step for ${summary.stall_minutes} min`;
  const waits = summary.waiting_for === null ? '' : `, waits for ${summary.waiting_for}`;
  const colour = { healthy: 'green', warning: 'yellow', undecided: 'yellow', escalate: 'red' } as const;
  return [
    `${paint('bold', printable(summary.worker_agent_id))}  ${printable(summary.session_id)} (${printable(summary.session_status)})`,
    `${steps}${still}${printable(waits)}`,
    ...(made.length === 0 ? [] : ['', 'last steps:', ...made.flatMap((step) => stepInWords(io, step)), '']),
    `verdicts: ${summary.recent_verdicts.slice(-10).join(' ') || 'none'}`,
    ...(summary.evidence_snippet === '' ? [] : [`last words: ${printable(summary.evidence_snippet)}`]),
    '',
    `${paint(colour[verdict], verdict)}: ${printable(reasoning)}`,
    ...(ticket ? ['', ticketInWords(io, ticket)] : []),
    ...(checks.length === 0 ? [] : ['', 'last checks:', ...checks.slice(0, CHECKS_SHOWN).map(pastCheck)]),
    '',
  ].join('\n');
}

function stepInWords(io: Io, { verdict, tool, text, result, isError }: Check['steps'][number]): string[] {
  const paint = painter(io);
  const said = oneLine(text) || (tool === null ? oneLine(result) : '');
  const came = tool === null || result === '' ? [] : [`    ${isError ? 'error: ' : ''}${oneLine(result)}`];
  return [
    `  ${verdict.padEnd(10)} ${[tool && paint('bold', printable(tool)), said].filter(Boolean).join('  ')}`,
    ...came.map((line) => paint(isError ? 'red' : 'dim', line)),
  ];
}

const oneLine = (text: string): string => printable(text.replace(/\s+/g, ' ').trim());

const pastCheck = ({ at, verdict, reasoning, ticketId }: JudgeCheckView['checks'][number]): string => {
  const wrote = ticketId === null ? '' : ` (ticket ${ticketId})`;
  return `  ${moment(at)}  ${verdict}: ${printable(reasoning)}${wrote}`;
};

function statsInWords(io: Io, { days, ...all }: JudgeStatsView): string {
  const columns = ['day', 'tickets', 'asked', 'useful', 'false alarms', 'precision'].map((title) => ({
    title,
  }));
  const rows = [...days, { day: 'all', ...all }].map(
    ({ day, tickets, asked, useful, falseAlarms, precision }) => [
      ...[day, tickets, asked, useful, falseAlarms].map(String),
      precision === null ? '–' : `${Math.round(precision * 100)} %`,
    ],
  );
  const right = all.precision === null ? 'No ticket has an answer yet.\n' : '';
  return `${table(columns, rows, io.width, painter(io))}${right}`;
}
