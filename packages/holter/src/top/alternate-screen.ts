import { writeSync } from 'node:fs';

/** Also hides the cursor. */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[2J';
const LEAVE = '\u001b[?1049l\u001b[?25h\u001b[0m';

/**
 * Uses the terminal's second screen, so that the first is as it was before when the program ends. Also when it ends by
 * an error: the handler of `exit` runs in every case but SIGKILL. Returns a function that leaves it.
 */
export function enterAlternateScreen(): () => void {
  let isIn = true;
  const write = (text: string): void => {
    try {
      // Synchronous, because nothing else is written after `exit`.
      writeSync(process.stdout.fd, text);
    } catch {
      // The terminal is gone.
    }
  };
  const leave = (): void => {
    if (!isIn) return;
    isIn = false;
    process.off('exit', leave);
    write(LEAVE);
  };
  process.on('exit', leave);
  write(ENTER);
  return leave;
}
