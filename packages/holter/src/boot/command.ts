import { mkdirSync } from 'node:fs';
import { DataFolder, type ProcessIdentity } from '@holter/server/process';
import type { Command } from 'commander';
import { findServer, refuseAgents, withServer } from '../client/connection.ts';
import { type Chain, type ChainOptions, holdingLock, openChain, selfIn } from '../deacon/context.ts';
import { isWithin, lookAtDeacon } from '../deacon/look.ts';
import { CliFailure } from '../terminal/failure.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { SOCKET_OPTION } from '../tmux/socket-option.ts';
import { ChainMail } from '../town/chain-mail.ts';
import { BOOT_SESSION, TOWN_OPTION } from '../town/town.ts';
import { askCommand } from './advise.ts';
import { isMarked, removeMarker, writeMarker } from './marker.ts';
import type { BootStatus } from './status-file.ts';
import { runTriage } from './triage-run.ts';

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
          'the session that this runs in, which is never that of the Deacon',
          BOOT_SESSION,
        )
        .option('--act', 'also start or restart it (otherwise the daemon does)')
        .option('--json', 'print JSON')
        .option(...TOWN_OPTION)
        .option(...SOCKET_OPTION),
    ),
    [
      ['holter boot triage', 'what Boot decides, and why; it wakes and nudges'],
      ['holter boot triage --act', 'the same without a daemon'],
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
      writeMarker(town, self, options.session, now());
      try {
        return await within(chain, triageIn(io, chain, self, options));
      } finally {
        removeMarker(town);
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

function triageIn(io: Io, chain: Chain, self: ProcessIdentity, options: TriageOptions): Promise<BootStatus> {
  const { town, commands } = chain;
  const { boot } = commands;
  return runTriage({
    ...chain,
    self,
    mail: new ChainMail(() => findServer(io, options, 'operator')),
    mayAct: options.act === true,
    isHeld: new DataFolder(chain.data).readEstop() !== null,
    advise:
      boot &&
      ((question) =>
        askCommand(boot, question, { env: io.env, timeoutMs: ADVICE_MS_MAX, folder: town.bootFolder })),
  });
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
