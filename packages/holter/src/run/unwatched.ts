import { spawn } from 'node:child_process';
import type { ChildEnd } from '@holter/server/adapters';
import { hasTerminal, type Terminal } from './child.ts';
import { refusalOf } from './end.ts';

/**
 * Runs the command as if Holter were not there, because Holter can't be used: a monitor that does not work must not
 * keep the work from being done. The operator's token stays out of its environment all the same.
 */
export function runUnwatched(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  terminal: Terminal,
): Promise<ChildEnd> {
  const [command = '', ...args] = argv;
  const { HOLTER_TOKEN: token, ...others } = env;
  const own = env.HOLTER_AGENT_ID ? { ...others, HOLTER_TOKEN: token } : others;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env: own, stdio: 'inherit' });
    child.once('error', (error: NodeJS.ErrnoException) => reject(refusalOf(command, error)));
    child.once('exit', (code, signal) => resolve({ code, signal }));
    for (const signal of ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => {
        // The system sends the keys of a terminal to the whole group, so the command already got them.
        const isKey = signal === 'SIGINT' || signal === 'SIGQUIT';
        if (!(isKey && hasTerminal(terminal))) child.kill(signal);
      });
  });
}
