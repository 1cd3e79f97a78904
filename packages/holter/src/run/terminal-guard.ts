import { spawn } from 'node:child_process';
import type { Terminal } from './child.ts';
import { RESET, terminalSettings } from './terminal-state.ts';

type TerminalGuard = {
  /** The command runs as this process from now on. */
  readonly follow: (pid: number) => void;
  /** The run has ended in order. */
  readonly release: () => void;
};

/**
 * Reads process ids until its input ends, which it does only if the run was killed. Shells take their terminal back
 * at once, and some restore its settings; raw settings that are left a moment later are the command's.
 */
const SCRIPT = `trap '' INT QUIT TSTP TTIN TTOU HUP
while read -r word; do pid=$word; done
exec >/dev/tty
printf %s "$2"
sleep 0.3
case $(stty -a </dev/tty) in *-isig*) stty "$1" </dev/tty;; esac
if kill -0 "$pid"; then what="its process $pid goes on without this terminal"; else what="its process has ended"; fi
printf '\\r\\nholter: the run of %s was killed; %s (see: holter status)\\r\\n' "$3" "$what"`;

/**
 * A shell that waits beside a run at a terminal. `kill -9` gives the run no chance to restore the terminal, and the
 * command can't either: it has lost its place in the foreground.
 */
export function guardTerminal({ input, output }: Terminal, agentId: string): TerminalGuard | null {
  const settings = input && output ? terminalSettings() : undefined;
  if (settings === undefined) return null;
  const guard = spawn('sh', ['-c', SCRIPT, 'holter-guard', settings, RESET, agentId], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.on('error', () => undefined);
  guard.stdin.on('error', () => undefined);
  guard.unref();
  return {
    follow: (pid) => void guard.stdin.write(`${pid}\n`),
    release: () => void guard.kill('SIGKILL'),
  };
}
