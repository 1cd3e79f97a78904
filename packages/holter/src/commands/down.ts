import { type Clock, DataFolder, dataFolderPath, realClock } from '@holter/server/local';
import { systemTable } from '@holter/server/process';
import type { Command } from 'commander';
import { ask } from '../client/ask.ts';
import { refuseAgents } from '../client/connection.ts';
import { TlsFailure } from '../client/tls-failure.ts';
import { CliFailure } from '../terminal/failure.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { counted } from '../terminal/words.ts';

type DownOptions = { readonly data?: string; readonly json?: boolean };

/** A server drains for at most a minute, and stops within five seconds then. */
const STOP_MS_MAX = 70_000;
const LOOK_EVERY_MS = 50;
/** The server writes its file right after it has begun to answer. */
const SAME_START_MS_MAX = 60_000;

export function registerDown(program: Command, io: Io): void {
  withExamples(
    program
      .command('down')
      .description('stop the server of the data folder; its data is kept')
      .option('--data <dir>', 'data folder (default: HOLTER_DATA, else the XDG state folder)')
      .option('--json', 'print JSON'),
    [['holter down', 'stop it, wherever it was started']],
  ).action(async ({ data, json }: DownOptions) => {
    refuseAgents(io, 'down');
    const folder = new DataFolder(dataFolderPath(data, io.env));
    const stopped = await stopServer(folder, realClock());
    if (json) return io.out(`${JSON.stringify({ stopped: stopped !== null, ...stopped })}\n`);
    if (stopped === null) return io.out(`no server runs on ${folder.path}\n`);
    io.out(`stopped the server of ${folder.path} (pid ${stopped.pid})\n`);
    if (stopped.running > 0)
      io.out(
        `${counted(stopped.running, 'agent')} went on; \`holter run\` starts a server again when it needs one\n`,
      );
  });
}

type Stopped = { readonly pid: number; readonly url: string; readonly running: number };

/** Null when none runs. The process is ended only after its server has answered, because ids are used again. */
export async function stopServer(folder: DataFolder, clock: Clock): Promise<Stopped | null> {
  const server = folder.readServer();
  if (!server) return null;
  const { url, pid, startedAt } = server;
  const connection = { url, token: folder.readToken('viewer') };
  try {
    const health = await ask(connection, (client) => client.health());
    if (Math.abs(health.startedAt - startedAt) > SAME_START_MS_MAX) return null;
  } catch (error) {
    if (error instanceof CliFailure && !(error instanceof TlsFailure)) return null;
    throw error;
  }
  const { agents } = await ask(connection, (client) => client.agents({ limit: '500' }));
  const running = agents.filter(({ end, executor }) => end === null && executor !== null).length;
  process.kill(pid, 'SIGTERM');
  const deadline = clock.now() + STOP_MS_MAX;
  while (folder.readServer()?.pid === pid || isRunning(pid)) {
    if (clock.now() > deadline)
      throw new CliFailure(`the server (pid ${pid}) did not stop`, `look at its log, or: kill -9 ${pid}`);
    await new Promise<void>((resolve) => void clock.after(LOOK_EVERY_MS, resolve));
  }
  return { pid, url, running };
}

/** One that has ended may stay in the table until its parent looks; that is not running. */
function isRunning(pid: number): boolean {
  const row = systemTable()?.row(pid);
  return row !== undefined && row !== null && row.state !== 'zombie';
}
