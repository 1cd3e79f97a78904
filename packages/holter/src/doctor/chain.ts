import { existsSync } from 'node:fs';
import { instant } from '@holter/core/time';
import { lockHolder } from '@holter/server/lock';
import { systemTable } from '@holter/server/process';
import { DAEMON_UNIT, isEnabled, isWritten, unitFile } from '../background/service-unit.ts';
import { readBootStatus } from '../boot/status-file.ts';
import { hasTmux, unreadByOverseer } from '../boot/town-lines.ts';
import type { Connection } from '../client/connection.ts';
import { heartbeatReading } from '../deacon/heartbeat.ts';
import { CliFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { printable } from '../terminal/paint.ts';
import { ago, counted } from '../terminal/words.ts';
import { linksIn } from '../town/daemon-state.ts';
import { readTownSettings, type TownSettings } from '../town/settings.ts';
import { readStateFile } from '../town/state-file.ts';
import { findTown, OVERSEER, type Town } from '../town/town.ts';
import type { Check } from './check.ts';

/** Of a daemon that ticks every three minutes; a town may say otherwise, but not much longer. */
const SILENT_MS_MAX = 15 * 60_000;

/** Who watches the watcher: only where there is a town. */
export async function checkChain(
  { env }: Pick<Io, 'env'>,
  named: string | undefined,
  connect: () => Connection,
  now: () => number,
): Promise<readonly Check[]> {
  const town = findTown(named, env);
  if (!existsSync(town.daemonStateFile)) return [];
  return [
    ...(await checkDaemon(town, now)),
    checkService(env),
    ...(await checkTown(town, now)),
    checkTmux(env),
    ...(await checkOverseer(connect)),
  ];
}

async function checkTown(town: Town, now: () => number): Promise<readonly Check[]> {
  try {
    const settings = readTownSettings(town);
    return [await checkBoot(town, settings, now), await checkDeacon(town, settings, now)];
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    return [{ about: 'town', isFine: false, says: error.message, next: `correct ${town.settingsFile}` }];
  }
}

async function checkDaemon(town: Town, now: () => number): Promise<readonly Check[]> {
  const about = 'daemon';
  const next = `start it: holter daemon --town ${town.path}    or: holter service install --daemon`;
  const pid = lockHolder(town.daemonLockFile)?.pid;
  const isRunning = pid !== undefined && systemTable()?.row(pid) !== null;
  const reading = await readStateFile(town.daemonStateFile, now);
  if (!isRunning) return [{ about, isFine: false, says: `no daemon runs in ${town.path}`, next }];
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

async function checkDeacon(town: Town, { freshness }: TownSettings, now: () => number): Promise<Check> {
  const about = 'deacon';
  const reading = await heartbeatReading(town, now);
  const next = `see ${town.heartbeatFile} and ${town.bootStatusFile}`;
  if (reading.kind !== 'read') return { about, isFine: false, says: 'no heartbeat that can be read', next };
  const { at } = reading.heartbeat;
  const limitedUntil = (await readBootStatus(town, now))?.memory?.limitedUntil ?? 0;
  const isLimited = limitedUntil > now();
  const isFine = isLimited || now() - at < freshness.veryStaleMs;
  const says = `its last heartbeat: ${ago(at, instant(now()))}`;
  return { about, isFine, says: isLimited ? `${says}; it waits for its usage limit to reset` : says, next };
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
