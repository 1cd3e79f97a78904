import { basename } from 'node:path';
import { ADAPTERS, type Adapter, adapterNamed, adapterOfProgram } from '@holter/server/adapters';
import { readSettingsFile } from '@holter/server/process';
import { CODE, RunFailure } from './end.ts';
import { isOpaque, type Unwrapped, unwrap } from './wrapped-command.ts';

/** `auto` goes by the name of the program; `command` watches anything as a mere process. */
export const AGENT_KINDS: readonly string[] = [
  'auto',
  ...ADAPTERS.filter(({ recipe }) => recipe !== undefined).map(({ name }) => name),
  'command',
];

type FoundAdapter = Unwrapped & {
  readonly adapter: Adapter | null;
  /** An agent that is known by its name and hidden by what stands before it; it is watched as a process. */
  readonly hidden: string | null;
};

/** The agent that a command line starts, by the name of its program or of the one that it wraps. */
export function findAdapter(kind: string, argv: readonly string[]): FoundAdapter {
  const [first = '', ...rest] = argv;
  const whole: Unwrapped = { before: [], program: first, args: rest, variables: {} };
  if (kind === 'command') return { ...whole, adapter: null, hidden: null };
  const unwrapped = unwrap(argv);
  if (kind !== 'auto') {
    if (!unwrapped || isOpaque(unwrapped.program))
      throw new RunFailure(
        CODE.usage,
        `--agent-kind ${kind}: can't find the agent behind ${basename(unwrapped?.program ?? first)}; put holter run right before it`,
      );
    return { ...unwrapped, adapter: adapterNamed(kind), hidden: null };
  }
  const adapter = unwrapped && (adapterOfProgram(unwrapped.program) ?? adapterOfScript(unwrapped.program));
  if (unwrapped && adapter?.recipe) return { ...unwrapped, adapter, hidden: null };
  return { ...whole, adapter, hidden: hiddenIn(unwrapped, argv) };
}

function hiddenIn(unwrapped: Unwrapped | null, argv: readonly string[]): string | null {
  if (unwrapped && !isOpaque(unwrapped.program)) return lastExec(unwrapped.program)?.program ?? null;
  const words = argv.slice(1).flatMap((word) => word.split(/[\s;&|]+/));
  return words.find((word) => adapterOfProgram(word)?.recipe !== undefined) ?? null;
}

/** A script that does nothing with its arguments but pass them all on to an agent. */
function adapterOfScript(program: string): Adapter | null {
  const last = lastExec(program);
  return last?.isPlain ? adapterOfProgram(last.program) : null;
}

const SCRIPT_BYTES_MAX = 64 * 1024;

/** The agent that the last line of a shell script becomes. */
function lastExec(script: string): { readonly program: string; readonly isPlain: boolean } | null {
  const text = textOf(script);
  if (!/^#!.*\b(?:ba|da|z|k)?sh\b/.test(text)) return null;
  const line = text.trimEnd().split('\n').at(-1) ?? '';
  const [, program = '', rest = ''] = /^\s*exec\s+([\w./-]+)\s*(.*)$/.exec(line) ?? [];
  return adapterOfProgram(program)?.recipe ? { program, isPlain: rest.trim() === '"$@"' } : null;
}

/** Empty if it can't be read, or is no script but a large program. */
function textOf(file: string): string {
  try {
    return readSettingsFile(file, SCRIPT_BYTES_MAX);
  } catch {
    return '';
  }
}
