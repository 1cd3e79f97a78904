import { lstatSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { readSettingsFile } from '@holter/server/process';

export const SERVER_UNIT = 'holter.service';
export const DAEMON_UNIT = 'holter-daemon.service';

type Env = Readonly<Record<string, string | undefined>>;

const unitFolder = (env: Env): string =>
  join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'systemd', 'user');

export const unitFile = (env: Env, unit: string): string => join(unitFolder(env), unit);

export function isWritten(file: string): boolean {
  try {
    return readSettingsFile(file) !== '';
  } catch {
    return false;
  }
}

/** Whether it starts with the log-in: systemd keeps a link for that. */
export function isEnabled(env: Env, unit: string): boolean {
  const link = join(unitFolder(env), 'default.target.wants', unit);
  return lstatSync(link, { throwIfNoEntry: false }) !== undefined;
}
