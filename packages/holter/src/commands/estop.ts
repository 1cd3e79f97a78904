import { userInfo } from 'node:os';
import { DataFolder, dataFolderPath, realClock } from '@holter/server/local';
import type { Command } from 'commander';
import { refuseAgents } from '../client/connection.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';

type EstopOptions = { readonly off?: boolean; readonly reason: string; readonly data?: string };

/** Works without a server, and while it is down: the file in the data folder is all there is. */
export function registerEstop(program: Command, io: Io): void {
  withExamples(
    program
      .command('estop')
      .description("stop Holter's own acts (nudges, kills, restarts) at once; agents are not touched")
      .option('--off', 'let Holter act again')
      .option('--reason <text>', 'why, for those who are told', '')
      .option('--data <dir>', 'data folder (default: HOLTER_DATA, else the XDG state folder)'),
    [
      ['holter estop --reason "we move the database"', 'findings and alerts go on; what you order is done'],
      ['holter estop --off', 'act again'],
    ],
  ).action((options: EstopOptions) => estop(io, options));
}

function estop(io: Io, { off, reason, data }: EstopOptions): void {
  refuseAgents(io, 'estop');
  const folder = new DataFolder(dataFolderPath(data, io.env));
  if (off) {
    const wasOn = folder.removeEstop();
    return io.out(wasOn ? 'Holter acts again\n' : 'Holter was not stopped\n');
  }
  folder.prepare();
  folder.writeEstop({ at: realClock().now(), by: io.env.USER || userInfo().username, reason });
  io.out(
    'Holter acts no more, from the next second on; it still watches and alerts\nto let it act again: holter estop --off\n',
  );
}
