import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Names of the chain: sessions of tmux, agents and their boxes. */
export const BOOT_SESSION = 'gt-boot';
export const DEACON_SESSION = 'hq-deacon';
export const DEACON = 'deacon';
export const BOOT = 'boot';
/** The agent that the daemon is to the server, which notices when it falls silent; letters to it are requests. */
export const DAEMON = 'daemon';
/** The box of the person who is told what the chain can't repair. */
export const OVERSEER = 'overseer';

/** The folder of a town and everything in it. */
export class Town {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Names and thresholds, written by `holter town init`. */
  get settingsFile(): string {
    return join(this.path, 'town.json');
  }

  get daemonFolder(): string {
    return join(this.path, 'daemon');
  }

  get daemonLogFile(): string {
    return join(this.daemonFolder, 'daemon.log');
  }

  /** For people; the lock says whether one runs. */
  get daemonPidFile(): string {
    return join(this.daemonFolder, 'daemon.pid');
  }

  get daemonStateFile(): string {
    return join(this.daemonFolder, 'state.json');
  }

  /** The lock of the one daemon of a town. */
  get daemonLockFile(): string {
    return join(this.daemonFolder, 'daemon.lock');
  }

  /** What the panes of one of its agents showed before its session was ended. */
  memberHistoryFile(name: string): string {
    return this.memberFile('last-session', name, 'txt');
  }

  /** Which run of one of its agents was stopped on purpose. */
  memberEndFile(name: string): string {
    return this.memberFile('ended', name, 'json');
  }

  /** The output of one of its agents, without tmux. */
  memberLogFile(name: string): string {
    return this.memberFile('agent', name, 'log');
  }

  private memberFile(about: string, name: string, kind: string): string {
    return join(this.daemonFolder, `${about}-${name.replace(/[^A-Za-z0-9_@-]/g, '_')}.${kind}`);
  }

  get deaconFolder(): string {
    return join(this.path, 'deacon');
  }

  get heartbeatFile(): string {
    return join(this.deaconFolder, 'heartbeat.json');
  }

  get healthCheckFile(): string {
    return join(this.deaconFolder, 'health-check-state.json');
  }

  /** The summary that the last handoff has left. */
  get deaconStateFile(): string {
    return join(this.deaconFolder, 'state.json');
  }

  /** Which run has ended on purpose, other than by a handoff. */
  get deaconEndFile(): string {
    return join(this.deaconFolder, 'ended.json');
  }

  get digestsFile(): string {
    return join(this.deaconFolder, 'digests.jsonl');
  }

  /** Held while the Deacon is started, restarted or killed. */
  get deaconLockFile(): string {
    return join(this.deaconFolder, 'deacon.lock');
  }

  get bootFolder(): string {
    return join(this.deaconFolder, 'dogs', 'boot');
  }

  get bootMarkerFile(): string {
    return join(this.bootFolder, '.boot-running');
  }

  get bootStatusFile(): string {
    return join(this.bootFolder, '.boot-status.json');
  }

  /** The lock behind the marker. */
  get bootLockFile(): string {
    return join(this.bootFolder, '.boot.lock');
  }
}

/** `--town DIR`, else `HOLTER_TOWN`, else `~/gt`. */
export function findTown(named: string | undefined, env: NodeJS.ProcessEnv): Town {
  return new Town(resolve(named ?? (env.HOLTER_TOWN || join(env.HOME || homedir(), 'gt'))));
}

/** The option that all commands of the chain take. */
export const TOWN_OPTION: readonly [flags: string, does: string] = [
  '--town <dir>',
  'folder of the town (default: HOLTER_TOWN, else ~/gt)',
];
