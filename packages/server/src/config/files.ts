import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { ConfigFiles } from './load.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Which files to read: what was named on the command line or in HOLTER_CONFIG, else the operator's own in
 * the XDG configuration folder; and beside it, for thresholds, the one in the working directory.
 */
export function findConfigFiles(
  named: string | undefined,
  environment: Environment,
  workingDirectory: string,
): ConfigFiles {
  const folder = environment.XDG_CONFIG_HOME || join(environment.HOME || homedir(), '.config');
  const operatorDefault = join(folder, 'holter', 'holter.yaml');
  const explicit = named ?? (environment.HOLTER_CONFIG || undefined);
  const operator = explicit === undefined ? existing(operatorDefault) : resolve(workingDirectory, explicit);
  const local = existing(join(workingDirectory, 'holter.yaml'));
  return { operator, workingDirectory: local === operator ? null : local, operatorDefault };
}

const existing = (file: string): string | null => (existsSync(file) ? file : null);
