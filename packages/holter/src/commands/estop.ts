import { userInfo } from 'node:os';
import { createClient, DataFolder, dataFolderPath, realClock } from '@holter/server/local';
import type { Command } from 'commander';
import { findServer, refuseAgents } from '../client/connection.ts';
import { CliFailure } from '../terminal/failure.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';

type EstopOptions = { readonly off?: boolean; readonly reason: string; readonly data?: string };

/** A server looks once a second; one that has not taken it over by then does not answer. */
const WAIT_MS = 5_000;
const ASK_EVERY_MS = 250;

/** Works without a server, and while it is down: a file in the data folder is what counts. */
export function registerEstop(program: Command, io: Io): void {
  withExamples(
    program
      .command('estop')
      .description("stop Holter's own actions (nudges, kills, restarts) at once; agents keep running")
      .option('--off', 'let Holter act again')
      .option('--reason <text>', 'why, for those who are told', '')
      .option('--data <dir>', 'data folder (default: HOLTER_DATA, else the XDG state folder)'),
    [
      ['holter estop --reason "we move the database"', 'findings and alerts go on; what you order is done'],
      ['holter estop --off', 'act again'],
    ],
  ).action((options: EstopOptions) => estop(io, options));
}

async function estop(io: Io, { off = false, reason, data }: EstopOptions): Promise<void> {
  refuseAgents(io, 'estop');
  if (io.env.HOLTER_URL && data === undefined)
    throw new CliFailure(
      `HOLTER_URL names the server ${io.env.HOLTER_URL}, and acts are stopped in the data folder of a server`,
      'run it on the machine of that server, or name the folder: holter estop --data DIR',
    );
  const folder = new DataFolder(dataFolderPath(data, io.env));
  if (off) {
    if (!folder.liftEstop() && folder.readDatabase() === null) return io.out('Holter was not stopped\n');
  } else {
    folder.prepare();
    folder.writeEstop({ at: realClock().now(), by: io.env.USER || userInfo().username, reason });
  }
  const others = folder.readDatabase() === null ? '' : ', and so do all servers that share its database';
  const isHeard = await isTakenOver(io, { ...(data !== undefined && { data }) }, !off);
  const says = off
    ? [`Holter acts again${others}`, 'no server is running here: the next one may act']
    : [
        `Holter does nothing by itself any more${others}; it still watches and alerts`,
        'no server is running here: the next one will not act by itself',
      ];
  io.out(`${says[isHeard ? 0 : 1]}\n${off ? '' : 'to let it act again: holter estop --off\n'}`);
}

/** Whether the server of this folder says so too. */
async function isTakenOver(io: Io, options: { readonly data?: string }, isOn: boolean): Promise<boolean> {
  const folder = new DataFolder(dataFolderPath(options.data, io.env));
  if (!folder.readServer()) return false;
  const client = createClient({ url: findServer(io, options, 'operator').url, timeoutMs: WAIT_MS });
  const clock = realClock();
  const deadline = clock.now() + WAIT_MS;
  for (;;) {
    const health = await client.health().catch(() => null);
    if (!health) return false;
    if ((health.estop !== null) === isOn) return true;
    if (clock.now() > deadline)
      throw new CliFailure('the server runs, but has not taken it over', 'holter doctor tells what is wrong');
    await new Promise<void>((resolve) => clock.after(ASK_EVERY_MS, resolve));
  }
}
