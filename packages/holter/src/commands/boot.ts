import { mkdirSync } from 'node:fs';
import { DataFolder, type ProcessIdentity } from '@holter/server/process';
import type { Command } from 'commander';
import { askCommand } from '../boot/advise.ts';
import { isMarked, removeMarker, writeMarker } from '../boot/marker.ts';
import { type BootStatus, writeBootStatus } from '../boot/status-file.ts';
import { LEFT_TO_DAEMON, runTriage } from '../boot/triage-run.ts';
import { findServer, refuseAgents, withServer } from '../client/connection.ts';
import type { Alone } from '../daemon/alone.ts';
import { type Chain, type ChainOptions, holdingLock, openChain, selfIn } from '../deacon/context.ts';
import { isWithin, lookAtDeacon } from '../deacon/look.ts';
import { CliFailure } from '../terminal/failure.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { SOCKET_OPTION } from '../tmux/socket-option.ts';
import { ChainMail } from '../town/chain-mail.ts';
import { downByOf } from '../town/daemon-state.ts';
import { incarnationOf } from '../town/incarnation.ts';
import { BOOT_SESSION, DEACON, TOWN_OPTION } from '../town/town.ts';

type TriageOptions = ChainOptions & {
  readonly session: string;
  readonly act?: boolean;
  readonly json?: boolean;
};

const ADVICE_MS_MAX = 60_000;

/** `holter boot`: the one-shot triage between the daemon and the Deacon. */
export function registerBoot(program: Command, io: Io): void {
  const boot = program.command('boot').description('look after the Deacon of a town');
  withExamples(
    withServer(
      boot
        .command('triage')
        .description('look at the Deacon once: start, wake or nudge it, or leave it alone')
        .option(
          '--session <name>',
          'the name under which this runs, for the record; that of the Deacon is refused',
          BOOT_SESSION,
        )
        .option('--act', 'also start or restart it, if no daemon runs that does so')
        .option('--json', 'print JSON')
        .option(...TOWN_OPTION)
        .option(...SOCKET_OPTION),
    ),
    [
      ['holter boot triage', 'what Boot decides, and why; it wakes and nudges'],
      ['holter boot triage --act', 'the same, and what is to be done, without a daemon'],
    ],
  ).action((options: TriageOptions) => triageOnce(io, options));
}

async function triageOnce(io: Io, options: TriageOptions): Promise<void> {
  if (options.act) refuseAgents(io, 'boot triage --act');
  const chain = await openChain(io, options);
  try {
    const { town, table, settings, now } = chain;
    const self = selfIn(table);
    mkdirSync(town.bootFolder, { recursive: true });
    await within(chain, refuseInside(chain, options.session));
    const status = await holdingLock(town.bootLockFile, async () => {
      if (await isMarked(town, table, settings.bootTtlMs, now)) return null;
      await writeMarker(town, self, options.session, now());
      try {
        return await within(chain, triageIn(io, chain, self, options));
      } finally {
        await removeMarker(town);
      }
    });
    tell(io, status, options.json === true);
  } finally {
    chain.close();
  }
}

/** Boot ends what it looks at: inside the Deacon's own session it would end itself. */
async function refuseInside(chain: Chain, session: string): Promise<void> {
  const { deaconSession } = chain.settings;
  const { run } = await lookAtDeacon(chain);
  if (session === deaconSession || (run && isWithin(chain.table, process.pid, run.process)))
    throw new CliFailure(
      `Boot does not run in ${deaconSession}, the session of the Deacon`,
      `run it elsewhere: holter boot triage --session=${chain.settings.bootSession}`,
    );
}

/** A triage that hangs must not hold the lock for longer than its marker is valid. */
function within<T>({ clock, settings }: Chain, work: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const cancel = clock.after(settings.bootTtlMs, () => reject(new CliFailure('the triage took too long')));
    work.then(resolve, reject).finally(cancel);
  });
}

async function triageIn(
  io: Io,
  chain: Chain,
  self: ProcessIdentity,
  options: TriageOptions,
): Promise<BootStatus> {
  const { town, commands, now } = chain;
  const { boot } = commands;
  const mail = new ChainMail(() => findServer(io, options, 'operator'));
  const alone = options.act ? await standIn(chain, mail) : null;
  try {
    const status = await runTriage({
      ...{ ...chain, self, mail },
      downBy: alone ? alone.downBy : await downByOf(town, now, DEACON),
      isHeld: new DataFolder(chain.data).readEstop() !== null,
      advise:
        boot &&
        ((question) =>
          askCommand(boot, question, { env: io.env, timeoutMs: ADVICE_MS_MAX, folder: town.bootFolder })),
    });
    return options.act ? await actOn(chain, status, alone, self) : status;
  } finally {
    await alone?.close();
  }
}

/** Loaded when it is needed: it has the daemon's rules and records. */
const standIn = async (chain: Chain, mail: ChainMail): Promise<Alone | null> =>
  (await import('../daemon/alone.ts')).standInForDaemon(chain, mail);

/** What Boot itself leaves to the daemon is done by the same rules, and in the same records, where no daemon runs. */
export async function actOn(
  { town }: Pick<Chain, 'town'>,
  status: BootStatus,
  alone: Alone | null,
  self: ProcessIdentity,
): Promise<BootStatus> {
  if (status.result !== LEFT_TO_DAEMON) return status;
  const { lockHolder } = await import('@holter/server/lock');
  const { pid } = lockHolder(town.daemonLockFile) ?? {};
  const result = alone
    ? await alone.act(status)
    : `${LEFT_TO_DAEMON}, which runs${pid === undefined ? '' : ` (pid ${pid})`}`;
  const done = { ...status, result };
  await writeBootStatus(town, done, incarnationOf(self));
  return done;
}

function tell(io: Io, status: BootStatus | null, isJson: boolean): void {
  if (isJson) {
    const shown = status && { ...status, at: new Date(status.at).toISOString(), memory: undefined };
    return io.out(`${JSON.stringify(shown ?? { action: null, reason: 'another triage runs' })}\n`);
  }
  if (!status) return io.out('skipped: another triage runs\n');
  const { action, reason, target, result } = status;
  io.out(`${action} ${target}: ${reason}\n${result}\n`);
}
