import type { TownCommands } from '@holter/server/config';
import { CliFailure, EXIT } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';

const NO_COMMANDS: TownCommands = { socket: null, deacon: null, boot: null, agents: new Map() };

/** What the chain of a town starts. Programs are named by the operator's file alone. */
export async function readTownCommands({
  env,
  workingDirectory,
}: Pick<Io, 'env' | 'workingDirectory'>): Promise<TownCommands> {
  const { findConfigFile } = await import('@holter/server/process');
  const file = findConfigFile(undefined, env, workingDirectory);
  if (file === null) return NO_COMMANDS;
  const { loadConfig, problemLine } = await import('@holter/server/config');
  const loaded = loadConfig(file, undefined, env);
  if (loaded.kind === 'invalid')
    throw new CliFailure(loaded.problems.map(problemLine).join('\n'), null, EXIT.usage);
  return loaded.config.policies.town;
}
