import { execFileSync } from 'node:child_process';

type ClockSync = 'synchronised' | 'not synchronised' | 'unknown';

/** Status bit of adjtimex(2) for a clock that nothing keeps right. */
const UNSYNCHRONISED = 0x40;
const ANSWER_MS_MAX = 2_000;

/** Whether something keeps the clock of this machine right, by what the system's own tools say. */
export function clockSync(env: Readonly<Record<string, string | undefined>>): ClockSync {
  const run = (program: string, ...args: readonly string[]): string | null => {
    try {
      return execFileSync(program, args, {
        encoding: 'utf8',
        timeout: ANSWER_MS_MAX,
        stdio: ['ignore', 'pipe', 'ignore'],
        env: { PATH: env.PATH, LC_ALL: 'C' },
      });
    } catch {
      return null;
    }
  };
  const word = run('timedatectl', 'show', '--property=NTPSynchronized', '--value')?.trim();
  if (word === 'yes') return 'synchronised';
  if (word === 'no') return 'not synchronised';
  const status = /status:\s*(\d+)/.exec(run('adjtimex', '--print') ?? '')?.[1];
  if (status === undefined) return 'unknown';
  return (Number(status) & UNSYNCHRONISED) === 0 ? 'synchronised' : 'not synchronised';
}
