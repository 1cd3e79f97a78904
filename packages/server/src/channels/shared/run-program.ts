import { spawn } from 'node:child_process';
import { killGroup } from '../../processes/index.ts';
import type { Delivery, DeliveryContext } from './channel.ts';
import { beginningOfText } from './post.ts';

type Environment = Readonly<Record<string, string | undefined>>;

type Program = {
  readonly argv: readonly string[];
  readonly input: string;
  readonly env: Environment;
  /** Names of further variables that it needs. */
  readonly alsoEnv?: readonly string[];
};

/** Enough for programs to be found and to speak the user's language; no token of Holter is among them. */
const PASSED = ['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TMPDIR', 'TZ'];
const ERROR_LENGTH_MAX = 2_000;

/** Runs a program without a shell. When the time is up, it and all that it started are killed. */
export function runProgram(
  { argv, input, env, alsoEnv = [] }: Program,
  { signal }: Pick<DeliveryContext, 'signal'>,
): Promise<Delivery> {
  const [file = '', ...args] = argv;
  const passed = Object.fromEntries([...PASSED, ...alsoEnv].map((name) => [name, env[name]]));
  return new Promise((resolve) => {
    const child = spawn(file, args, { env: passed, stdio: ['pipe', 'ignore', 'pipe'], detached: true });
    let said = '';
    const kill = (): void => killGroup(child);
    signal.addEventListener('abort', kill, { once: true });
    if (signal.aborted) kill();
    child.stderr.on('data', (chunk: Buffer) => {
      if (said.length < ERROR_LENGTH_MAX) said += chunk.toString('utf8');
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.on('error', (error) => {
      const code = 'code' in error ? String(error.code) : error.message;
      resolve({ kind: 'refused', detail: `${file} can't be run (${code})` });
    });
    child.on('exit', (exitCode) => {
      signal.removeEventListener('abort', kill);
      // What it has started may hold its pipes for much longer.
      if (exitCode === 0 || signal.aborted) child.stderr.destroy();
    });
    child.on('close', (exitCode, killedBy) => {
      if (exitCode === 0) return resolve({ kind: 'posted', detail: `${file} ended with 0` });
      const shown = beginningOfText(said);
      const how = exitCode === null ? `was ended by ${killedBy}` : `ended with ${exitCode}`;
      resolve({ kind: 'failed', detail: `${file} ${how}${shown === '' ? '' : ` (${shown})`}` });
    });
  });
}
