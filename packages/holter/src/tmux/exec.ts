import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { NO_ANSWER, type Socket, socketWords, TmuxError, TmuxMissing, TmuxSilent } from './control-client.ts';

const TIMEOUT_MS = 20_000;

/** One command as a process of its own, for what a client in control mode can't do: begin or end its own session. */
export async function tmuxCommand(
  socket: Socket,
  env: NodeJS.ProcessEnv,
  words: readonly string[],
): Promise<string> {
  try {
    const all = ['-u', ...socketWords(socket), ...words];
    const { stdout } = await promisify(execFile)('tmux', all, {
      env,
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
    return stdout.trimEnd();
  } catch (error) {
    const { code, stderr } = error as NodeJS.ErrnoException & { readonly stderr?: string };
    if (code === 'ENOENT') throw new TmuxMissing();
    const said = stderr?.trim();
    throw said ? new TmuxError(said) : new TmuxSilent(NO_ANSWER);
  }
}
