import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bin, until, World } from '../run/kit.ts';

/** `npm test` has found or installed tmux; a test that is run alone expects it in the path. */
const hasTmux = process.env.HOLTER_TMUX !== '';

/** Separate tmux servers, so that no other tmux session is touched: that of a town, and one as a person's terminal. */
const socket = `holter-attach-${process.pid}`;
const person = `holter-attacher-${process.pid}`;
const world = new World(
  `town: { socket: ${socket}, agents: { gt-alpha-witness: { command: [sleep, '1000'], group: alpha } } }\n`,
);
const tmux = (on: string, ...args: readonly string[]): string =>
  execFileSync('tmux', ['-L', on, '-f', '/dev/null', ...args], {
    encoding: 'utf8',
    env: world.env,
  }).trimEnd();

const SESSIONS = ['hq-deacon', 'hq-deacon-2', 'gt-alpha-witness'];

describe.runIf(hasTmux)('holter tmux attach', () => {
  beforeAll(() => {
    for (const name of SESSIONS) tmux(socket, 'new-session', '-d', '-s', name, 'sleep', '1000');
    tmux(person, 'new-session', '-d', '-s', 'desk', '-x', '100', '-y', '30', 'sh');
  });

  afterAll(async () => {
    for (const name of SESSIONS) tmux(socket, 'kill-session', '-t', `=${name}`);
    tmux(person, 'kill-session', '-t', '=desk');
    await world.close();
  });

  const clients = () => tmux(socket, 'list-clients', '-F', '#{session_name}');

  it.each([
    ['deacon', 'hq-deacon', []],
    ['hq-deacon', 'hq-deacon', ['--socket', socket]],
    ['gt-alpha-witness', 'gt-alpha-witness', ['--town', world.path('gt')]],
  ])('shows %s of the town: the session %s', async (name, session, options) => {
    const command = ['TMUX=', process.execPath, bin, 'tmux', 'attach', name, ...options];
    const window = ['-P', '-F', '#{window_id}', '-t', '=desk:', 'env', ...command];
    const windowId = tmux(person, 'new-window', '-d', ...window);
    await until('it is shown', () => clients() === session);
    tmux(person, 'kill-window', '-t', windowId);
    await until('nobody is attached', () => clients() === '');
  });

  it('from within the same tmux server, its client goes there', async () => {
    const attach = `TMUX= tmux -L ${socket} attach-session -t =hq-deacon-2`;
    const window = ['-P', '-F', '#{window_id}', '-t', '=desk:', 'sh', '-c', attach];
    const windowId = tmux(person, 'new-window', '-d', ...window);
    await until('the other session is shown', () => clients() === 'hq-deacon-2');
    tmux(socket, 'new-window', '-t', '=hq-deacon-2:', process.execPath, bin, 'tmux', 'attach', 'deacon');
    await until('it is shown', () => clients() === 'hq-deacon');
    tmux(person, 'kill-window', '-t', windowId);
  });

  it('names the agents of the town when it knows none of that name', async () => {
    const { code, err } = await world.holter('tmux', 'attach', 'gt-alpha');
    expect(code).toBe(1);
    expect(err).toContain('is called gt-alpha\n');
    expect(err).toContain('the town has: deacon, gt-alpha-witness');
  });

  it('looks on the socket that is named, and on no other', async () => {
    const other = `${socket}-none`;
    const { code, err } = await world.holter('tmux', 'attach', 'deacon', '--socket', other);
    expect(code).toBe(1);
    expect(err).toContain(`no tmux server is running on the socket ${other}`);
  });
});
