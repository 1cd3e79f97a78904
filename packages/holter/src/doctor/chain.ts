import { existsSync } from 'node:fs';
import { freshnessOf, triageDefaults } from '@holter/core/chain';
import { instant } from '@holter/core/time';
import { systemTable } from '@holter/server/process';
import { DAEMON_UNIT, isEnabled, isWritten, unitFile } from '../background/service-unit.ts';
import { readBootStatus } from '../boot/status-file.ts';
import { hasTmux, unreadByOverseer } from '../boot/town-lines.ts';
import type { Connection } from '../client/connection.ts';
import { openChain } from '../deacon/context.ts';
import { hasEndedOnPurpose } from '../deacon/ended.ts';
import { heartbeatReading } from '../deacon/heartbeat.ts';
import { type DeaconView, lookAtDeacon } from '../deacon/look.ts';
import { CliFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { printable } from '../terminal/paint.ts';
import { ago, counted } from '../terminal/words.ts';
import { linksIn } from '../town/daemon-state.ts';
import { runningDaemon } from '../town/running-daemon.ts';
import { readTownSettings, type TownSettings } from '../town/settings.ts';
import { readStateFile } from '../town/state-file.ts';
import { DEACON, findTown, OVERSEER, type Town } from '../town/town.ts';
import type { Check } from './check.ts';

/** Of a daemon with the usual tick; a town may say otherwise, but not much longer. */
const SILENT_MS_MAX = 5 * triageDefaults.tickMs;

/** Who watches the watcher: only where there is a town. */
export async function checkChain(
  { env }: Pick<Io, 'env'>,
  named: string | undefined,
  connect: () => Connection,
  now: () => number,
  look: (town: Town) => Promise<DeaconView>,
): Promise<readonly Check[]> {
  const town = findTown(named, env);
  const hasTicked = existsSync(town.daemonStateFile);
  if (!hasTicked && !existsSync(town.settingsFile)) return [];
  if (!hasTicked) return checkDaemon(town, now);
  return [
    ...(await checkDaemon(town, now)),
    checkService(env),
    ...(await checkTown(town, now, look)),
    checkTmux(env),
    ...(await checkOverseer(connect)),
  ];
}

/** The Deacon as tmux and the processes show it. */
export async function deaconOf(io: Io, options: { readonly data?: string }, town: Town): Promise<DeaconView> {
  const chain = await openChain(io, { ...options, town: town.path });
  try {
    return await lookAtDeacon(chain);
  } finally {
    chain.close();
  }
}

async function checkTown(
  town: Town,
  now: () => number,
  look: (town: Town) => Promise<DeaconView>,
): Promise<readonly Check[]> {
  try {
    const settings = readTownSettings(town);
    const deacon = await checkDeacon(town, settings, now, await look(town));
    return [await checkBoot(town, settings, now), deacon];
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    return [{ about: 'town', isFine: false, says: error.message, next: `correct ${town.settingsFile}` }];
  }
}

async function checkDaemon(town: Town, now: () => number): Promise<readonly Check[]> {
  const about = 'daemon';
  const next = `start it: holter daemon --town ${town.path}    or: holter service install --daemon`;
  const pid = await runningDaemon(town, systemTable(), now);
  const reading = await readStateFile(town.daemonStateFile, now);
  if (pid === null) return [{ about, isFine: false, says: `no daemon runs in ${town.path}`, next }];
  if (reading.kind !== 'read')
    return [{ about, isFine: false, says: `${town.daemonStateFile} can't be read`, next }];
  const silentMs = now() - reading.at;
  if (silentMs > SILENT_MS_MAX)
    return [
      {
        about,
        isFine: false,
        says: `the daemon (pid ${pid}) has not ticked for ${Math.round(silentMs / 60_000)} min`,
        next: `see ${town.daemonLogFile}`,
      },
    ];
  const links = linksIn(reading.state);
  const latched = links.filter(({ isLatched }) => isLatched).map(({ name }) => name);
  const down = links.filter(({ downBy }) => downBy !== null).map(({ name }) => name);
  const looksAfter = `looks after ${town.path} (pid ${pid})${down.length > 0 ? `; shut down on purpose: ${down.join(', ')}` : ''}`;
  return [
    {
      about,
      isFine: latched.length === 0,
      says: latched.length === 0 ? looksAfter : `${latched.join(', ')} can't be kept running: a crash loop`,
      next: `see ${town.daemonLogFile}`,
    },
  ];
}

/** Who starts the daemon again when it has died. Another service manager than systemd may do so. */
function checkService(env: Io['env']): Check {
  const about = 'service';
  const file = unitFile(env, DAEMON_UNIT);
  const install = 'holter service install --daemon';
  if (!isWritten(file))
    return { about, isFine: true, says: `systemd does not look after the daemon (${install})` };
  const isFine = isEnabled(env, DAEMON_UNIT);
  return { about, isFine, says: isFine ? file : `${file} is not enabled`, next: install };
}

/** So many ticks may pass without a triage. */
const TICKS_MAX = 3;

async function checkBoot(town: Town, { tickMs }: TownSettings, now: () => number): Promise<Check> {
  const about = 'boot';
  const status = await readBootStatus(town, now);
  const next = `see ${town.bootStatusFile}, and run: holter boot triage --town ${town.path}`;
  if (!status) return { about, isFine: false, says: 'no triage that can be read', next };
  const { at, action, reason, target } = status;
  const isLate = now() - at > TICKS_MAX * tickMs;
  const says = `${ago(instant(at), instant(now()))}: ${action} ${target}, ${reason}`;
  return { about, isFine: !isLate && action !== 'ESCALATE', says: printable(says), next };
}

/** By its process, and by the heartbeat of this very run; nobody's file says that it runs. */
async function checkDeacon(
  town: Town,
  { freshness: limits }: TownSettings,
  now: () => number,
  { session, run }: DeaconView,
): Promise<Check> {
  const about = 'deacon';
  const next = `see ${town.heartbeatFile} and ${town.bootStatusFile}`;
  const fine = (says: string): Check => ({ about, isFine: true, says: printable(says) });
  const wrong = (says: string): Check => ({ about, isFine: false, says: printable(says), next });
  const isLimited = ((await readBootStatus(town, now))?.memory?.limitedUntil ?? 0) > now();
  const waiting = 'it waits for its usage limit to reset';
  if (session === 'unknown') return wrong('it could not be looked at: tmux does not answer');
  const reading = await heartbeatReading(town, now);
  if (!run) {
    const downBy = await whoShutDown(town, now);
    if (downBy !== null) return fine(`shut down on purpose by ${downBy}`);
    const last = reading.kind === 'read' ? reading.heartbeat.incarnation : null;
    if (last !== null && (await hasEndedOnPurpose({ town, now }, last)))
      return fine('its last run has ended on purpose; the daemon starts the next');
    return isLimited ? fine(`it has ended; ${waiting}`) : wrong('it does not run');
  }
  const { kind, evidence } = freshnessOf(reading, run, instant(now()), limits);
  if (isLimited) return fine(`${evidence}; ${waiting}`);
  return kind === 'fresh' || kind === 'stale' ? fine(evidence) : wrong(evidence);
}

async function whoShutDown(town: Town, now: () => number): Promise<string | null> {
  const reading = await readStateFile(town.daemonStateFile, now);
  const links = reading.kind === 'read' ? linksIn(reading.state) : [];
  return links.find(({ name }) => name === DEACON)?.downBy ?? null;
}

function checkTmux(env: Io['env']): Check {
  const isFine = hasTmux(env);
  const says = isFine ? 'installed' : 'not installed: the town is degraded, no pane is seen';
  return { about: 'tmux', isFine, says, next: 'install tmux; see docs/watchdog.md#without-tmux' };
}

async function checkOverseer(connect: () => Connection): Promise<readonly Check[]> {
  const count = await unreadOf(connect);
  if (count === null) return [];
  const says = count === 0 ? 'has no unread letters' : `has ${counted(count, 'unread letter')}`;
  return [{ about: 'overseer', isFine: count === 0, says, next: `holter mail list --box ${OVERSEER}` }];
}

async function unreadOf(connect: () => Connection): Promise<number | null> {
  try {
    return await unreadByOverseer(connect());
  } catch (error) {
    // No server is known; another check says so.
    if (error instanceof CliFailure) return null;
    throw error;
  }
}
