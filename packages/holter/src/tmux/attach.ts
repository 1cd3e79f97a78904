import { spawnSync } from 'node:child_process';
import { CliFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { ANSWER_MS, NO_ANSWER, type Socket, saysNoServer, socketWords } from './control-client.ts';
import { agentIdOf } from './pane-agent.ts';

const NEXT = 'holter status lists the agents; --socket NAME names another tmux server';

/** Shows the pane of an agent in this terminal. */
export function attach(io: Io, agentId: string, socket: Socket): void {
  const words = socketWords(socket);
  const tmux = (args: readonly string[], isShown: boolean) =>
    spawnSync('tmux', [...words, ...args], {
      env: io.env,
      encoding: 'utf8',
      ...(isShown
        ? { stdio: 'inherit' }
        : { stdio: ['ignore', 'pipe', 'pipe'], timeout: ANSWER_MS, killSignal: 'SIGKILL' }),
    });
  const listed = tmux(['list-panes', '-a', '-F', '#{session_id} #{pane_id} #{session_name}'], false);
  if (listed.error) {
    const isMissing = (listed.error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new CliFailure(
      isMissing ? 'tmux is not installed' : NO_ANSWER,
      `holter show ${agentId} tells about it`,
    );
  }
  if (listed.status !== 0) throw new CliFailure(whyNotListed(listed.stderr.trim(), socket), NEXT);
  const place = placeOf(listed.stdout, agentId);
  if (!place) throw new CliFailure(`no pane of this tmux server is that of ${agentId}`, NEXT);
  const { sessionId, paneId } = place;
  const show = ['select-window', '-t', paneId, ';', 'select-pane', '-t', paneId, ';'];
  // From within tmux the client of this terminal goes there.
  const go = io.env.TMUX ? 'switch-client' : 'attach-session';
  io.setExitCode(tmux([...show, go, '-t', sessionId], true).status ?? 1);
}

export function whyNotListed(said: string, socket: Socket): string {
  if (!saysNoServer(said)) return `${NO_ANSWER}: ${said}`;
  return socket === undefined
    ? 'no tmux server is running'
    : `no tmux server is running on the socket ${socket}`;
}

export function placeOf(
  listed: string,
  agentId: string,
): { readonly sessionId: string; readonly paneId: string } | null {
  for (const line of listed.split('\n')) {
    const [sessionId = '', paneId = '', ...name] = line.split(' ');
    if (paneId && agentIdOf({ sessionName: name.join(' '), paneId }) === agentId)
      return { sessionId, paneId };
  }
  return null;
}
