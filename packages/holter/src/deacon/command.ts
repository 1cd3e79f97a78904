import { dataFolderPath } from '@holter/server/local';
import type { Command } from 'commander';
import { allAgents } from '../client/all-agents.ts';
import { ask } from '../client/ask.ts';
import {
  type Connection,
  findServer,
  type PrintOptions,
  refuseAgents,
  withServer,
} from '../client/connection.ts';
import { CliFailure, EXIT } from '../terminal/failure.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { counted } from '../terminal/words.ts';
import { SOCKET_OPTION } from '../tmux/socket-option.ts';
import { incarnationOf } from '../town/incarnation.ts';
import { DEACON, TOWN_OPTION } from '../town/town.ts';
import { killSession } from './act.ts';
import { type Chain, type ChainOptions, openChain, selfIn } from './context.ts';
import { writeEnd } from './ended.ts';
import { HANDOFF, writeHandoff } from './handoff.ts';
import { checkHealth, type HealthCheck, whyHandOver, writeHealthCheck, wrongInRow } from './health-check.ts';
import { lastCycle, writeHeartbeat } from './heartbeat.ts';
import { type DeaconRun, isWithin, lookAtDeacon, lookAtKept, recordProcess } from './look.ts';
import { Patrol } from './patrol.ts';

type CheckOptions = ChainOptions & PrintOptions;
type HandoffOptions = ChainOptions & {
  readonly subject: string;
  readonly message: string;
  readonly end?: boolean;
};

const withChain = (command: Command): Command =>
  withServer(command.option(...TOWN_OPTION).option(...SOCKET_OPTION));

/** `holter deacon`: the long-running patrol of a town. */
export function registerDeacon(program: Command, io: Io): void {
  const deacon = program
    .command('deacon')
    .description('the patrol of a town, which the daemon keeps running');
  withExamples(
    withChain(deacon.command('run').description("Holter's own patrol, until Ctrl-C or its handoff")),
    [['holter deacon run', 'what the daemon starts in the session hq-deacon']],
  ).action((options: ChainOptions) => run(io, options));
  withExamples(
    withChain(
      deacon
        .command('health-check')
        .description('count healthy and unhealthy agents; in the session of the Deacon it begins a cycle')
        .option('--json', 'print JSON'),
    ),
    [['holter deacon health-check', 'who needs attention']],
  ).action((options: CheckOptions) => healthCheck(io, options));
}

/** `holter handoff`: from one run of an agent to the next. */
export function registerHandoff(program: Command, io: Io): void {
  withExamples(
    withChain(
      program
        .command('handoff')
        .description('leave a letter to the next run of this agent, or of the Deacon')
        .requiredOption('-s, --subject <text>', 'what it is about')
        .requiredOption('-m, --message <text>', 'what the next one has to know')
        .option('--end', 'afterwards end the session of the Deacon, if this runs in it'),
    ),
    [
      ['holter handoff -s "Routine cycle" -m "Two agents wait for a person."', 'at the end of a patrol'],
      ['holter handoff --end -s "Routine cycle" -m "All is well."', "for an agent that can't end itself"],
    ],
  ).action((options: HandoffOptions) => handoff(io, options));
}

/** `holter session`: sessions of a town. */
export function registerSession(program: Command, io: Io): void {
  const session = program.command('session').description('end a session of a town in tmux');
  withExamples(
    withChain(
      session
        .command('kill')
        .description('end a session with everything that runs in it')
        .argument('<name>', 'its whole name'),
    ),
    [
      ['holter session kill hq-deacon', 'the daemon starts it again'],
      ['holter session kill hq-deacon --socket default', 'also if somebody else has started it'],
    ],
  ).action((name: string, options: ChainOptions) => kill(io, name, options));
}

async function run(io: Io, options: ChainOptions): Promise<void> {
  const chain = await openChain(io, options);
  const { town, settings, clock, now, table } = chain;
  const self = selfIn(table);
  const { session, run: other } = await lookAtDeacon(chain);
  chain.close();
  if (session === 'unknown')
    throw new CliFailure(`Holter can't see whether the Deacon of ${town.path} is already running`);
  const isSelf = other !== null && isWithin(table, self.pid, other.process);
  if (other && !isSelf)
    throw new CliFailure(
      `the Deacon of ${town.path} runs already (pid ${other.process.pid})`,
      `end it first: holter session kill ${settings.deaconSession}`,
    );
  if (!other) await recordProcess(chain, self);
  const patrol = new Patrol({
    ...{ town, settings, clock, now },
    incarnation: other?.incarnation ?? incarnationOf(self),
    connect: () => findServer(io, options, 'operator'),
    say: (line) => io.err(`holter: ${line}\n`),
  });
  io.onStop(() => {
    const incarnation = other?.incarnation ?? incarnationOf(self);
    const ended = writeEnd({ file: town.deaconEndFile, now }, 'it was stopped', incarnation);
    void ended.finally(() => patrol.stop());
  });
  io.out(`patrolling ${town.path}; see ${town.heartbeatFile}\n`);
  await patrol.run();
}

async function healthCheck(io: Io, options: CheckOptions): Promise<void> {
  const chain = await openChain(io, options);
  try {
    const { town, now, settings } = chain;
    const own = (await ownRun(chain))?.incarnation ?? null;
    const startedAt = now();
    const cycles = own === null ? 0 : await beat(chain, own, startedAt, null);
    const agents = await allAgents(viewerOf(io, options), {});
    const others = agents.filter(({ agentId }) => agentId !== DEACON);
    const health = checkHealth(others, await wrongInRow(town, now));
    await writeHealthCheck(town, health, now(), own ?? incarnationOf(selfIn(chain.table)));
    if (own !== null) await beat(chain, own, startedAt, health);
    tell(io, health, options.json === true, whyHandOver(agents, cycles, settings.cyclesMax));
  } finally {
    chain.close();
  }
}

/** The token of an agent does not list agents, so that in its terminal the one of the data folder is used. */
function viewerOf(io: Io, options: ChainOptions): Connection {
  const isAgent = Boolean(io.env.HOLTER_AGENT_ID) && options.url === undefined;
  return findServer(io, isAgent ? { data: dataFolderPath(options.data, io.env) } : options, 'viewer');
}

/** The run of the Deacon, if this command runs in its session. Nobody else may write its heartbeat. */
async function ownRun(chain: Chain): Promise<DeaconRun | null> {
  const { run: found } = await lookAtDeacon(chain);
  return found && isWithin(chain.table, process.pid, found.process) ? found : null;
}

/** The first beat begins a cycle; the second, with what was found, belongs to the same. The number of cycles of this run. */
async function beat(
  { town, now }: Chain,
  incarnation: string,
  at: number,
  health: HealthCheck | null,
): Promise<number> {
  const last = await lastCycle(town, now, incarnation);
  const more = health ? 0 : 1;
  const cycleOfRun = last.ofRun + more;
  const counts = {
    healthyAgents: health?.healthy ?? null,
    unhealthyAgents: health?.unhealthy.length ?? null,
  };
  const cycle = last.cycle + more;
  await writeHeartbeat(town, { cycle, cycleOfRun, lastAction: 'health-check', ...counts }, at, incarnation);
  return cycleOfRun;
}

function tell(io: Io, health: HealthCheck, isJson: boolean, whyOver: string | null): void {
  const { healthy, unhealthy, agents } = health;
  if (unhealthy.length > 0) io.setExitCode(EXIT.foundWrong);
  if (isJson)
    return io.out(`${JSON.stringify({ healthy, unhealthy, agents, mustHandOver: whyOver !== null })}\n`);
  io.out(`${healthy} healthy, ${unhealthy.length} unhealthy\n`);
  for (const agentId of unhealthy) {
    const { state = '', group = '', wrongInRow: times = 0 } = agents[agentId] ?? {};
    io.out(`${agentId} (${group}): ${state} at ${counted(times, 'check')} in a row\n`);
  }
  if (whyOver !== null) io.out(`hand over now, ${whyOver}: holter handoff -s "Routine cycle" -m "…"\n`);
}

async function handoff(io: Io, { subject, message, end, ...options }: HandoffOptions): Promise<void> {
  const to = io.env.HOLTER_AGENT_ID || DEACON;
  const connection = findServer(io, options, 'operator');
  // The number of this start, which must not be shown the letter itself.
  const incarnation = Number(io.env.HOLTER_INCARNATION);
  const content = { type: HANDOFF, message, ...(incarnation > 0 && { incarnation }) };
  let own: DeaconRun | null = null;
  if (to === DEACON) {
    const chain = await openChain(io, options);
    const { town, now, table } = chain;
    own = await ownRun(chain);
    const run = own?.incarnation ?? incarnationOf(selfIn(table));
    chain.close();
    const { cycle } = await lastCycle(town, now);
    await writeHandoff(town, { subject, message, cycle, incarnation: run }, now());
  }
  const { id } = await ask(connection, (client) =>
    client.sendLetter({ from: to, to, subject, content, priority: 'normal' }),
  );
  io.out(`sent ${id}; the next run of ${to} reads it first\n`);
  if (end && own) process.kill(own.process.pid, 'SIGTERM');
}

async function kill(io: Io, name: string, options: ChainOptions): Promise<void> {
  refuseAgents(io, 'session kill');
  const chain = await openChain(io, options);
  try {
    const found = await chain.sessions.find(name);
    if (found.kind === 'no-tmux') throw new CliFailure('tmux is not installed');
    if (found.kind === 'unknown') throw new CliFailure(found.because);
    if (found.kind === 'none') throw new CliFailure(`no session is called ${name} on this tmux server`);
    const isConfirmed = options.socket !== undefined;
    const { run, file } = await ownEndOf(chain, name);
    const ended = await chain.alone(() => killSession(chain, found.session, isConfirmed));
    const { outcome, detail } = ended ?? { outcome: 'refused', detail: 'another process acts on it' };
    if (outcome !== 'done')
      throw new CliFailure(
        detail,
        outcome === 'refused' && ended ? `name its socket to end it all the same: --socket default` : null,
      );
    // It was meant: the daemon starts the next one, and counts no crash.
    if (run) await writeEnd({ file, now: chain.now }, 'holter session kill', run.incarnation);
    io.out(`${detail}\n`);
  } finally {
    chain.close();
  }
}

/** What runs in this session for the chain, and where its end is written down. */
async function ownEndOf(chain: Chain, name: string): Promise<{ run: DeaconRun | null; file: string }> {
  const { town, settings, members, memberFile } = chain;
  if (name === settings.deaconSession)
    return { run: (await lookAtDeacon(chain)).run, file: town.deaconEndFile };
  const file = town.memberEndFile(name);
  if (!members.has(name)) return { run: null, file };
  return { run: (await lookAtKept(chain, { session: name, processFile: memberFile(name) })).run, file };
}
