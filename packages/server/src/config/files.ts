import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The operator's file: what was named on the command line or in HOLTER_CONFIG, else the one in the XDG
 * configuration folder; null if there is none. A `holter.yaml` in a working directory is never the operator's by
 * itself: see `directory-file.ts`.
 */
export function findConfigFile(
  named: string | undefined,
  environment: Environment,
  workingDirectory: string,
): string | null {
  const explicit = named ?? (environment.HOLTER_CONFIG || undefined);
  if (explicit !== undefined) return resolve(workingDirectory, explicit);
  const folder = environment.XDG_CONFIG_HOME || join(environment.HOME || homedir(), '.config');
  const file = join(folder, 'holter', 'holter.yaml');
  return existsSync(file) ? file : null;
}
