import { spawnSync } from 'node:child_process';
import { CliFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { readTownCommands } from '../town/commands.ts';
import { readTownSettings } from '../town/settings.ts';
import { DEACON, DEACON_SESSION, findTown } from '../town/town.ts';
import { ANSWER_MS, NO_ANSWER, type Socket, saysNoServer, socketWords } from './control-client.ts';
import { agentIdOf } from './pane-agent.ts';

const NEXT = 'holter status lists the agents; --socket NAME names another tmux server';

export type AttachOptions = { readonly socket?: string; readonly town?: string };

/** Where an agent is shown. An agent of a town has a session of its own, and no pane is looked for. */
type Target = { readonly socket: Socket; readonly session: string | null };

/** Shows an agent in this terminal: its pane, or for an agent of a town its session. */
export async function attach(io: Io, agentId: string, options: AttachOptions): Promise<void> {
  const { socket, session } = await targetOf(io, agentId, options);
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
  const place = session === null ? placeOf(listed.stdout, agentId) : sessionOf(listed.stdout, session);
  if (!place) {
    const what = session === null ? `is that of ${agentId}` : `runs in a session that is called ${session}`;
    throw new CliFailure(`no pane of this tmux server ${what}`, NEXT);
  }
  const { sessionId, paneId } = place;
  const show = session === null ? ['select-window', '-t', paneId, ';', 'select-pane', '-t', paneId, ';'] : [];
  // From within this tmux server its client goes there. Of another one tmux says that it would be nested.
  const within = io.env.TMUX?.split(',')[0];
  const isWithin =
    within && tmux(['display-message', '-p', '#{socket_path}'], false).stdout.trim() === within;
  const go = isWithin ? 'switch-client' : 'attach-session';
  io.setExitCode(tmux([...show, go, '-t', sessionId], true).status ?? 1);
}

/** An agent that the watch has found is named after its pane; all others are agents of the town. */
async function targetOf(io: Io, agentId: string, { socket, town: named }: AttachOptions): Promise<Target> {
  if (/\.\d+$/.test(agentId)) return { socket, session: null };
  const town = findTown(named, io.env);
  const { deaconSession } = readTownSettings(town);
  const commands = await readTownCommands(io);
  const session = townSession(agentId, deaconSession, [...commands.agents.keys()]);
  if (session === null)
    throw new CliFailure(
      `neither a pane nor an agent of the town ${town.path} is called ${agentId}`,
      `a pane is named like api.3 (holter status); the town has: ${[DEACON, ...commands.agents.keys()].join(', ')}`,
    );
  return { socket: socket ?? commands.socket ?? undefined, session };
}

/** The session of an agent of a town; null if no agent is called so. Never by a part of a name. */
export function townSession(name: string, deaconSession: string, agents: readonly string[]): string | null {
  if (agents.includes(name)) return name;
  return [DEACON, DEACON_SESSION, deaconSession].includes(name) ? deaconSession : null;
}

export function whyNotListed(said: string, socket: Socket): string {
  if (!saysNoServer(said)) return `${NO_ANSWER}: ${said}`;
  return socket === undefined
    ? 'no tmux server is running'
    : `no tmux server is running on the socket ${socket}`;
}

type Place = { readonly sessionId: string; readonly paneId: string };

export const placeOf = (listed: string, agentId: string): Place | null =>
  findPlace(listed, (paneId, sessionName) => agentIdOf({ sessionName, paneId }) === agentId);

export const sessionOf = (listed: string, session: string): Place | null =>
  findPlace(listed, (_paneId, sessionName) => sessionName === session);

function findPlace(listed: string, isIt: (paneId: string, sessionName: string) => boolean): Place | null {
  for (const line of listed.split('\n')) {
    const [sessionId = '', paneId = '', ...name] = line.split(' ');
    if (paneId && isIt(paneId, name.join(' '))) return { sessionId, paneId };
  }
  return null;
}
