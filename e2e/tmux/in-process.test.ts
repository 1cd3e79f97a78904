import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HolterEvent } from '@holter/core';
import { type Clock, DataFolder, identityOf, systemTable } from '@holter/server/process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServerLink } from '../../packages/holter/src/run/server-link.ts';
import { SessionFiles } from '../../packages/holter/src/tmux/session-files.ts';
import { TmuxServer } from '../../packages/holter/src/tmux/tmux-server.ts';
import { TmuxWatch } from '../../packages/holter/src/tmux/watch.ts';
import { compile } from '../../packages/server/src/policy/index.ts';
import { startHttp, type TestServer } from '../../packages/server/test/http/kit.ts';
import { isThere, until } from '../run/kit.ts';

/** `npm test` has found or installed tmux; a test that is run alone expects it in the path. */
const hasTmux = process.env.HOLTER_TMUX !== '';

const inFolder = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const standIn = inFolder('./fixtures/claude');
const busy = inFolder('../../bench/tmux/claude');
const folder = mkdtempSync(join(tmpdir(), 'holter-tmux-'));
const env = { PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8' };
const socket = `holter-moved-${process.pid}`;
const log = join(folder, 'hung.log');
const BUSY = 8;
const HUNG_MS = 25_000;

const tmux = (...args: readonly string[]): string =>
  execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...args], { encoding: 'utf8', env }).trimEnd();

const open = (name: string, program: string, variables: readonly string[] = []): void => {
  const given = variables.flatMap((variable) => ['-e', variable]);
  tmux('new-session', '-d', '-s', name, '-x', '100', '-y', '30', ...given, 'env', program);
};

/** How much time passes with each wait, besides the real time. */
let perWaitMs = 0;
/** Looks that wait until they are released; null while none is held up. */
let held: (() => void)[] | null = null;
const LOOK_EVERY_MS = 2_000;
/** So long after the last look, what an agent was doing meanwhile is not known. */
const GAP_MS = 40_000;

/** No time is skipped while a nudge is under way: its steps have deadlines. */
class NotingLink extends ServerLink {
  override insist(
    ...[method, path, body]: Parameters<ServerLink['insist']>
  ): ReturnType<ServerLink['insist']> {
    if (path.endsWith('/nudge')) perWaitMs = 0;
    return super.insist(method, path, body);
  }
}

/** A watch in this process, so that time can pass quickly: it waits a tenth of its times. */
function watchOf(server: TestServer, say: (line: string) => void): TmuxWatch {
  const table = systemTable();
  const own = table?.row(process.pid);
  if (!table || !own) throw new Error('processes can not be read');
  const clock: Clock = {
    now: server.clock.now,
    after: (ms, callback) => {
      server.clock.skip(perWaitMs);
      if (held && ms === LOOK_EVERY_MS) {
        held.push(callback);
        return () => undefined;
      }
      return server.clock.after(ms / 10, callback);
    },
  };
  const named = { url: server.url, token: server.tokens.operator };
  const data = new DataFolder(join(folder, 'data'));
  const link = new NotingLink({
    ...{ folder: data, clock, env, named, say },
    ...{ version: '0.0.0-test', canStart: false, config: undefined },
  });
  return new TmuxWatch({
    session: '*',
    server: new TmuxServer(socket, env),
    context: {
      ...{ link, folder: data, clock, table, say },
      mode: 'nudge',
      hungModelMs: HUNG_MS,
      sessions: new SessionFiles(table, clock),
      hostId: 'here',
      watcher: identityOf(table, own),
      newId: randomUUID,
      sha256: (text) => createHash('sha256').update(text).digest('hex'),
    },
  });
}

describe.runIf(hasTmux)('holter tmux watch, while time passes quickly', () => {
  let server: TestServer;
  let watching: TmuxWatch;
  let ended: Promise<void>;
  let said = '';

  beforeAll(async () => {
    const compiled = compile({});
    if (compiled.kind !== 'compiled') throw new Error('the defaults are unsound');
    server = await startHttp({ policies: compiled.policies });
    open('keep', 'cat');
    watching = watchOf(server, (line) => {
      said += `${line}\n`;
    });
    ended = watching.run();
  });

  afterAll(async () => {
    watching.stop();
    await ended;
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const watched = async (...ids: readonly string[]): Promise<void> => {
    perWaitMs = GAP_MS;
    for (const id of ids)
      await until(`${id} is watched`, () => said.includes(`${id} is watched: claude-code`));
    perWaitMs = 0;
  };
  const logged = (): readonly string[] =>
    readFileSync(log, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).event as string);
  const eventsOf = async (type: HolterEvent['type'], field: string): Promise<readonly unknown[]> => {
    const events = await server.store.readEvents({ after: 0, limit: 10_000 });
    return events.flatMap(({ event }) =>
      event.type === type ? (event.payload as Record<string, unknown>)[field] : [],
    );
  };

  it('says once that no pane runs a known agent', async () => {
    await until('it is said', () => said === 'watching 1 pane; it runs no known agent yet\n');
  });

  it('frees an agent that hangs at its model: a nudge, and one Escape', async () => {
    const session = 'STAND_IN_SESSION=10000000-0000-4000-8000-000000000000';
    open('hung', standIn, ['STAND_IN=hung', `STAND_IN_LOG=${log}`, session]);
    await watched('hung.1');
    perWaitMs = HUNG_MS / 2;
    await until('the text arrives', () => logged().length > 2);
    perWaitMs = 0;
    const sent = 'sent: Holter: no answer came from your model for 25 s, so that request was cancelled';
    expect(logged()).toEqual(['started', 'escaped', sent]);
    await until('its receipt', async () =>
      (await eventsOf('EFFECT_RECEIPT', 'outcome')).includes('delivered'),
    );
    expect(await eventsOf('DECISION_MADE', 'by')).toEqual(['tmux.escape_hung_model']);
    tmux('kill-session', '-t', '=hung');
    await until('its end is seen', () => said.includes('hung.1: '));
  });

  it('opens one incident for the death of its tmux server, not one for each pane', async () => {
    const ids = Array.from({ length: BUSY }, (_, index) => `busy${index}.${index + 2}`);
    for (const id of ids) open(id.slice(0, id.indexOf('.')), busy);
    await watched(...ids);
    const pids = tmux('list-panes', '-a', '-F', '#{pane_pid}').split('\n').map(Number);
    const looks: (() => void)[] = [];
    held = looks;
    await until('no look is under way', () => looks.length > 0);
    process.kill(Number(tmux('display-message', '-p', '#{pid}')), 'SIGKILL');
    await until('all panes have gone', () => !pids.some(isThere));
    held = null;
    for (const look of looks) look();
    await until('their ends are known', async () => {
      const agents = await Promise.all(ids.map((id) => server.engine.read(id)));
      return agents.every((agent) => agent?.hard.end);
    });
    // Longer than the brake holds anything back.
    await server.pass(180);
    expect(await eventsOf('MASS_FAILURE', 'group')).toEqual(['tmux']);
    const causes = await eventsOf('INCIDENT_OPENED', 'cause');
    expect(causes.filter((cause) => cause === 'process-gone')).toHaveLength(1);
  });
});
