import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { CODE, RunFailure } from './end.ts';

/**
 * Searches for the command as a shell does, before anything is registered: a wrong command leaves no record, and
 * its exit code is the one that scripts expect.
 */
export function findCommand(command: string, path: string | undefined, workingDirectory: string): string {
  if (command.includes('/')) {
    const file = resolve(workingDirectory, command);
    const fault = faultOf(file);
    if (fault === null) return file;
    throw fault === 'missing' ? notFound(command) : notExecutable(command, fault);
  }
  let lastFault: string | null = null;
  for (const folder of (path ?? '').split(delimiter).filter(Boolean)) {
    const file = join(folder, command);
    const fault = faultOf(file);
    if (fault === null) return file;
    if (fault !== 'missing') lastFault = fault;
  }
  throw lastFault === null ? notFound(command) : notExecutable(command, lastFault);
}

function faultOf(file: string): string | null {
  try {
    if (statSync(file).isDirectory()) return 'it is a directory';
  } catch {
    return 'missing';
  }
  try {
    accessSync(file, constants.X_OK);
    return null;
  } catch {
    return 'permission denied (chmod +x would allow it)';
  }
}

const notFound = (command: string): RunFailure =>
  new RunFailure(CODE.notFound, `${command}: command not found`);

const notExecutable = (command: string, why: string): RunFailure =>
  new RunFailure(CODE.notExecutable, `${command}: can't be executed: ${why}`);
