import { basename } from 'node:path';
import { mainFile } from '../package/main-file.ts';

/**
 * The command line under which an agent of the town is watched. One that already begins with `holter run` is not watched
 * twice: its own options stay, and win, because they come later.
 */
export function watchedCommand(options: readonly string[], command: readonly string[]): readonly string[] {
  const [program = '', word, ...rest] = command;
  const isRun = basename(program) === 'holter' && word === 'run';
  return [process.execPath, mainFile, 'run', ...options, ...(isRun ? rest : ['--', ...command])];
}
