import { createHash } from 'node:crypto';
import {
  DataFolder,
  dataFolderPath,
  identityOf,
  realClock,
  realDice,
  systemHostId,
  systemTable,
} from '@holter/server/process';
import { type Command, Option } from 'commander';
import { refuseAgents, type ServerOptions, withServer } from '../client/connection.ts';
import { version } from '../package/version.ts';
import { namedTarget, ServerLink } from '../run/server-link.ts';
import { CliFailure, EXIT } from '../terminal/failure.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { TOWN_OPTION } from '../town/town.ts';
import { type AttachOptions, attach } from './attach.ts';
import { TmuxError } from './control-client.ts';
import { SessionFiles } from './session-files.ts';
import { SOCKET_OPTION } from './socket-option.ts';
import { TmuxServer } from './tmux-server.ts';
import { TmuxWatch } from './watch.ts';

type WatchOptions = ServerOptions & {
  readonly socket?: string;
  readonly session: string;
  readonly mode: 'observe' | 'nudge' | 'act';
};

/** `holter tmux`: agents that people run in the panes of tmux. */
export function registerTmux(program: Command, io: Io): void {
  const tmux = program.command('tmux').description('watch the agents that run in tmux');
  withExamples(
    withServer(
      tmux
        .command('watch')
        .description('register every pane that runs a known agent, and look after it until Ctrl-C')
        .option(...SOCKET_OPTION)
        .option('--session <glob>', 'only sessions whose names match, like gt-*', '*')
        .addOption(
          new Option('--mode <mode>', 'what Holter may do with them')
            .choices(['observe', 'nudge', 'act'])
            .default('nudge'),
        ),
    ),
    [
      ['holter tmux watch', 'the agents of your tmux server; you decide about more than a nudge'],
      ['holter tmux watch --socket town --mode act', 'restarted in their panes if they crash'],
    ],
  ).action((options: WatchOptions) => watch(io, options));
  withExamples(
    tmux
      .command('attach')
      .description('show the pane of an agent')
      .argument('<agent>', 'the id of the agent, or the name of an agent of the town')
      .option(...TOWN_OPTION)
      .option(...SOCKET_OPTION),
    [
      ['holter tmux attach api.3', 'its session, window and pane'],
      ['holter tmux attach deacon', 'the session of an agent of the town, on the socket of the town'],
    ],
  ).action((agentId: string, options: AttachOptions) => attach(io, agentId, options));
}

/** The operator's file says whether an agent that hangs at its model may be interrupted, and after how long. */
async function hungModelOf({ env, workingDirectory }: Io): Promise<number | null> {
  const { findConfigFile, loadConfig, problemLine } = await import('@holter/server/config');
  const loaded = loadConfig(findConfigFile(undefined, env, workingDirectory), undefined, env);
  if (loaded.kind === 'invalid')
    throw new CliFailure(loaded.problems.map(problemLine).join('\n'), null, EXIT.usage);
  return loaded.config.policies.operations.tmux.hungModelMs;
}

async function watch(io: Io, { socket, session, mode, ...options }: WatchOptions): Promise<void> {
  refuseAgents(io, 'tmux watch');
  const table = systemTable();
  const own = table?.row(process.pid);
  if (!table || !own) throw new CliFailure('processes can only be watched on Linux and macOS');
  const { env } = io;
  const clock = realClock();
  const folder = new DataFolder(dataFolderPath(options.data, env));
  const say = (line: string): void => io.err(`holter: ${line}\n`);
  const named = namedTarget(options, env, folder);
  const link = new ServerLink({ folder, clock, version, env, named, canStart: true, config: undefined, say });
  await link.connect();
  const hungModelMs = await hungModelOf(io);
  const watching = new TmuxWatch({
    session,
    server: new TmuxServer(socket, env),
    context: {
      ...{ link, folder, clock, table, mode, hungModelMs, say },
      sessions: new SessionFiles(table, clock, say),
      hostId: systemHostId(),
      watcher: identityOf(table, own),
      newId: realDice.newId,
      sha256: (text) => createHash('sha256').update(text).digest('hex'),
    },
  });
  if (mode === 'act')
    say('agents that are stuck may be stopped and restarted in their panes (--mode nudge: never)');
  io.onStop(() => watching.stop());
  try {
    await watching.run();
  } catch (error) {
    throw error instanceof TmuxError ? new CliFailure(error.message) : error;
  } finally {
    link.close();
  }
}
