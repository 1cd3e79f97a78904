import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identityOf, systemTable, wallNow } from '@holter/server/process';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { lookAtDeacon } from '../../packages/holter/src/deacon/look.ts';
import { TownSessions } from '../../packages/holter/src/deacon/sessions.ts';
import { TmuxSilent } from '../../packages/holter/src/tmux/control-client.ts';
import { TmuxServer } from '../../packages/holter/src/tmux/tmux-server.ts';
import { typingAlone } from '../../packages/holter/src/tmux/typing-lock.ts';
import { defaultTownSettings } from '../../packages/holter/src/town/settings.ts';
import { Town } from '../../packages/holter/src/town/town.ts';
import { until } from '../run/kit.ts';

/** `npm test` has found or installed tmux; a test that is run alone expects it in the path. */
const hasTmux = process.env.HOLTER_TMUX !== '';

const folder = mkdtempSync(join(tmpdir(), 'holter-hung-'));
const socket = join(folder, 'socket');
const env = { PATH: process.env.PATH, HOME: folder };
const ANSWER_MS = 300;

const tmux = (...args: readonly string[]): string =>
  execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], {
    encoding: 'utf8',
    env,
    timeout: 20_000,
  }).trimEnd();

describe.runIf(hasTmux)('a tmux server that hangs', () => {
  let pid = 0;
  const town = new Town(join(folder, 'gt'));
  const attached = new TownSessions(town.path, socket, env, ANSWER_MS);
  const table = systemTable();
  const chain = (sessions: TownSessions) => {
    if (!table) throw new Error('processes can not be read');
    const processFile = join(folder, 'process.json');
    return { town, settings: defaultTownSettings(), sessions, table, processFile, now: wallNow };
  };

  beforeAll(() => {
    tmux('new-session', '-d', '-s', 'first', 'sleep', '1000');
    tmux('new-session', '-d', '-s', 'hq-deacon', 'sleep', '1000');
    pid = Number(tmux('display-message', '-p', '#{pid}'));
  });

  afterEach(() => void (pid > 0 && process.kill(pid, 'SIGCONT')));
  afterAll(() => {
    attached.close();
    if (pid > 0) {
      spawnSync('tmux', ['-S', socket, 'kill-session', '-a', '-t', '=first'], { env, timeout: 20_000 });
      spawnSync('tmux', ['-S', socket, 'kill-session', '-t', '=first'], { env, timeout: 20_000 });
    }
    rmSync(folder, { recursive: true, force: true });
  });

  it('is unknown, never without sessions, and is seen again when it goes on', async () => {
    await until('its session is found', async () => (await attached.find('hq-deacon')).kind === 'found');
    process.kill(pid, 'SIGSTOP');
    const unknown = { kind: 'unknown', because: 'tmux does not answer' };
    // Through the client that it has, and then through a new one.
    expect(await attached.find('hq-deacon')).toEqual(unknown);
    expect(await attached.find('hq-deacon')).toEqual(unknown);
    expect(await lookAtDeacon(chain(attached))).toMatchObject({ session: 'unknown', run: null });
    const server = new TmuxServer(socket, env, ANSWER_MS);
    await expect(server.look()).rejects.toBeInstanceOf(TmuxSilent);
    process.kill(pid, 'SIGCONT');
    await until('it answers', async () => (await attached.find('hq-deacon')).kind === 'found');
  });

  it('lets one process type in a pane at a time, and forgets one that has ended', async () => {
    const row = table?.row(process.pid);
    if (!table || !row) throw new Error('processes can not be read');
    const server = new TmuxServer(socket, env);
    const [paneId = ''] = (await server.look())?.keys() ?? [];
    const pane = server.paneOf(paneId);
    const typist = { self: identityOf(table, row), table };
    const ended = { ...typist.self, startedAt: '1' };
    const type = (more: () => Promise<unknown>) => typingAlone(pane, typist, more);
    expect(await type(async () => [await type(async () => 'mixed'), 'typed'])).toEqual([null, 'typed']);
    expect(await type(async () => 'again')).toBe('again');
    const left = Buffer.from(JSON.stringify(ended)).toString('base64url');
    for (const value of [left, 'something else, }']) {
      tmux('set-option', '-p', '-t', paneId, '@holter-typing', value);
      expect(await type(async () => value)).toBe(value);
    }
    server.close();
  });

  it('a look through a session that has just ended sees the others', async () => {
    const server = new TmuxServer(socket, env);
    expect((await server.look())?.size).toBe(2);
    tmux('kill-session', '-t', '=first');
    expect((await server.look())?.size).toBe(1);
    server.close();
  });

  it('without sessions it says so: there is none', async () => {
    tmux('kill-session', '-t', '=hq-deacon');
    await until('it has ended', async () => (await attached.find('hq-deacon')).kind === 'none');
    expect(await lookAtDeacon(chain(attached))).toMatchObject({ session: 'dead' });
    pid = 0;
  });
});
