import { mkdirSync } from 'node:fs';
import {
  type DurationMs,
  daemonDefaults,
  instant,
  inWords,
  startAllowedAt,
  type TriageAction,
} from '@holter/core';
import { acquireLock } from '@holter/server/own-store';
import { DataFolder, realDice } from '@holter/server/process';
import type { BootStatus } from '../boot/status-file.ts';
import type { Chain } from '../deacon/context.ts';
import { lookAtDeacon } from '../deacon/look.ts';
import type { ChainMail } from '../town/chain-mail.ts';
import { DAEMON, DEACON, OVERSEER } from '../town/town.ts';
import { Daemon, type Hand, LOOK_MS } from './daemon.ts';
import { DaemonLog } from './daemon-log.ts';
import { deaconHand } from './deacon-hand.ts';
import { openBook, withChainPolicy } from './open-book.ts';
import { unknownLook } from './server-link.ts';
import { endOfAgents } from './told-end.ts';

/** Somebody who does the daemon's work for the Deacon while no daemon runs. */
export type Alone = {
  /** Who has shut the Deacon down on purpose; null if nobody has. */
  readonly downBy: string | null;
  /** Carries out what Boot has decided, as an incident within the budget; says what came of it. */
  readonly act: (status: BootStatus) => Promise<string>;
  readonly close: () => Promise<void>;
};

/** Null if a daemon runs, which acts itself. Until it is closed, none can start. */
export async function standInForDaemon(chain: Chain, mail: ChainMail): Promise<Alone | null> {
  const { town, clock, data, settings: townSettings } = chain;
  mkdirSync(town.daemonFolder, { recursive: true });
  const lock = await acquireLock(town.daemonLockFile, { pid: process.pid, since: clock.now() });
  if (!lock) return null;
  const log = new DaemonLog(town.daemonLogFile, clock.now);
  const said: string[] = [];
  const say = (line: string): void => {
    log.say(line);
    said.push(line);
  };
  const settings = withChainPolicy({ tickMs: townSettings.tickMs, limits: daemonDefaults.limits });
  const book = await openBook({ town, data, say }, settings);
  const { deacon: down } = book.down;
  let triage: { readonly action: TriageAction; readonly reason: string } | null = null;
  const daemon = new Daemon({
    ...{ book, clock, settings, say, lookMs: LOOK_MS, newSecret: realDice.newSecret },
    only: DEACON,
    hands: {
      ...{ server: unseen(chain), boot: unseen(chain), members: new Map() },
      deacon: deaconHand(chain, endOfAgents(mail, clock, chain.now)),
    },
    duties: {
      see: async () => ({ isBootRunning: true, triage, silence: null, lifecycle: [] }),
      triage: notHere,
      wake: notHere,
      handOver: notHere,
    },
    isHeld: () => new DataFolder(data).readEstop() !== null,
    // Whoever runs this reads what it says; the next daemon tells what is still wrong.
    outside: { tell: async () => undefined, settle: async () => undefined },
    tell: (message) =>
      mail.send({
        ...{ from: DAEMON, to: OVERSEER, subject: 'The watchdog chain needs you', message },
        ...{ type: 'alert', priority: 'high' },
      }),
  });
  return {
    downBy: down ? `${down.by}${down.reason === '' ? '' : `: ${down.reason}`}` : null,
    act: async (status) => {
      book.beginWatch(clock.now());
      // First a look of its own: what Boot says counts only for a run that was not heard since the look before.
      await daemon.tick();
      if (status.action === 'RESTART') {
        triage = status;
        await daemon.tick();
      }
      const about = said.flatMap((line) => (line.startsWith(PREFIX) ? [line.slice(PREFIX.length)] : []));
      const { session } = await lookAtDeacon(chain);
      const at = clock.now();
      const waitMs = startAllowedAt(book.link(DEACON).budget, at, settings.limits) - at;
      if (session === 'dead' && waitMs > 0)
        about.push(`it may be started again in ${inWords(waitMs as DurationMs)}`);
      return about.join('; ') || 'left alone: it is no longer as it was seen';
    },
    close: async () => {
      await book.close();
      lock.release();
      log.close();
    },
  };
}

/** Of what is said about the Deacon. */
const PREFIX = `${DEACON}: `;

const notHere = async (): Promise<undefined> => undefined;

/** What only the daemon looks at. */
const unseen = ({ clock }: Chain): Hand => ({
  look: async (before) => unknownLook(instant(clock.now()), before),
  stop: async () => 'only the daemon ends it',
  start: notHere,
});
