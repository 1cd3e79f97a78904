import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** One command of the command line, or a group of them. */
export type CliCommand = {
  readonly words: readonly string[];
  readonly help: string;
  readonly isGroup: boolean;
  readonly options: readonly {
    readonly names: readonly string[];
    readonly value: 'needed' | 'maybe' | 'none';
  }[];
  readonly arguments: readonly { readonly required: boolean; readonly variadic: boolean }[];
};

/** The built program, loaded by a process of its own: there that takes a tenth of the time. */
export function readProgram(): readonly CliCommand[] {
  const script = fileURLToPath(new URL('print-program.mjs', import.meta.url));
  return JSON.parse(execFileSync(process.execPath, [script], { encoding: 'utf8' })) as CliCommand[];
}
