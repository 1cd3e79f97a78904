import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agentOf, at, commitOf, committed, nudge, taskChanged } from '../contract/kit.ts';
import type { Store } from '../store.ts';
import { openSqlite } from './index.ts';

const built = new URL('../../../dist/store/sqlite/index.js', import.meta.url).href;

describe('the database thread', { timeout: 30_000 }, () => {
  let folder = '';
  let path = '';
  let store: Store;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holter-thread-'));
    path = join(folder, 'holter.db');
    store = await openSqlite(path, { busyTimeoutMs: 300, waitingMax: 5 });
  });

  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  it('does not block the main thread while it waits for the disk', async () => {
    const other = new Database(path);
    other.exec('begin immediate');
    let isOver = false;
    const pending = store.putMeta('key', 'value').catch((error: unknown) => error);
    void pending.finally(() => {
      isOver = true;
    });
    let turns = 0;
    while (!isOver) {
      turns += 1;
      await new Promise(setImmediate);
    }
    // The writer waited 300 ms for the lock; meanwhile this loop went on.
    expect(turns).toBeGreaterThan(100);
    expect(await pending).toMatchObject({ code: 'locked' });
    other.close();
  });

  it('bounds its queue, and refuses further requests before they begin', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 12 }, (_, i) => store.commit([commitOf(agentOf(`a${i}`), 0)])),
    );
    const refused = results.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(7);
    expect(refused).toMatchObject(Array.from({ length: 7 }, () => ({ reason: { code: 'busy' } })));
    expect(await store.countByHealth()).toEqual({ HEALTHY: 5 });
  });

  it('finishes queued requests before it closes', async () => {
    const last = store.commit([commitOf(agentOf('ada'), 0)]);
    await store.close();
    expect(await last).toMatchObject([{ kind: 'ok' }]);
    store = await openSqlite(path);
    expect(await store.load('ada')).toMatchObject({ version: 1 });
  });

  it('a programming error is not reported as a store fault', async () => {
    const token = { id: 't1', hash: 'h', role: 'viewer', agentId: null, group: null } as const;
    await store.putToken({ ...token, createdAt: at(0), revokedAt: null });
    const clash = store.putToken({ ...token, id: 't2', createdAt: at(0), revokedAt: null });
    await expect(clash).rejects.not.toHaveProperty('code');
    await expect(store.putMeta('k', (() => 1) as unknown as string)).rejects.toThrow(/could not be cloned/);
    expect(await store.findToken('h')).toMatchObject({ id: 't1' });
  });

  it('makes a copy while writes continue', async () => {
    const copy = join(folder, 'copy.db');
    const backup = store.backup(copy);
    let version = 0;
    let isOver = false;
    void backup.finally(() => {
      isOver = true;
    });
    for (; !isOver; version += 1) {
      const events = [taskChanged('ada', at(version), 'x')];
      await committed(store, commitOf(agentOf('ada'), version, { events }));
    }
    await backup;
    expect(version).toBeGreaterThan(1);
    await expect(store.backup(copy)).rejects.toThrow('exists already');
    await expect(store.backup(join(folder, 'gone', 'copy.db'))).rejects.toMatchObject({ code: 'missing' });
    expect(existsSync(`${copy}.part`)).toBe(false);
    const restored = await openSqlite(copy);
    const copied = (await restored.load('ada'))?.version ?? 0;
    // A snapshot of one moment.
    expect(await restored.lastCursor()).toBe(copied);
    expect(await restored.check()).toEqual([]);
    await restored.close();
  });

  it('finds inconsistent rows', async () => {
    const effects = [nudge('e1', 'ada'), nudge('e2', 'fleet:default')];
    await committed(store, commitOf(agentOf('ada', { wakeAt: at(5) }), 0, { effects }));
    expect(await store.check()).toEqual([]);
    const other = new Database(path);
    other.exec('update agents set wake_at = 7');
    other.exec("update effects set agent_id = 'nobody' where id = 'e1'");
    other.exec("insert into soft values ('ghost', 1, 0, 0, 0, 0, 0, 0, 0, 0)");
    other.close();
    expect(await store.check()).toEqual([
      'soft facts without an agent: ghost',
      'agent whose columns differ from its record: ada',
      'effect without an agent: e1',
      'effect whose columns differ from its record: e1',
    ]);
  });
});

describe('a process that is killed while it commits', () => {
  it('loses nothing that was acknowledged', { timeout: 60_000 }, async () => {
    for (let round = 0; round < 3; round += 1) {
      const folder = mkdtempSync(join(tmpdir(), 'holter-kill-'));
      const path = join(folder, 'holter.db');
      const count = 20 + round * 37;
      const acknowledged = await commitUntilKilled(path, count);
      expect(acknowledged).toBeGreaterThanOrEqual(count);
      const store = await openSqlite(path);
      const version = (await store.load('ada'))?.version ?? 0;
      // One more commit may be stored: the one whose answer was in transit.
      expect(version).toBeGreaterThanOrEqual(acknowledged);
      expect(version).toBeLessThanOrEqual(acknowledged + 2);
      expect(await store.lastCursor()).toBe(version);
      expect((await store.listEffects({ limit: 9_999 })).length).toBe(version);
      expect(await store.check()).toEqual([]);
      await store.close();
      rmSync(folder, { recursive: true });
    }
  });

  /** Kills the child with SIGKILL after that many acknowledgements; returns how many there were at the end. */
  async function commitUntilKilled(path: string, count: number): Promise<number> {
    const agent = agentOf('ada');
    const script = `
      const { openSqlite } = await import(${JSON.stringify(built)});
      const { writeSync } = await import('node:fs');
      const store = await openSqlite(${JSON.stringify(path)});
      const agent = ${JSON.stringify(agent)};
      for (let version = 0; ; version += 1) {
        const event = { at: version, incarnation: 1, type: 'AGENT_RETURNED', payload: { agentId: 'ada', downtimeMs: 1 } };
        const effect = { id: 'e' + version, agentId: 'ada', incarnation: 1, executor: null, livesBy: 'start:ada#1', kind: 'remind', message: '' };
        await store.commit([{ agent, expectedVersion: version, events: [event], effects: [effect], correlationId: '' }]);
        writeSync(1, (version + 1) + '\\n');
      }`;
    const child: ChildProcess = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let last = 0;
    const lines = createInterface({ input: child.stdout as NonNullable<typeof child.stdout> });
    lines.on('line', (line) => {
      last = Number(line);
      if (last === count) child.kill('SIGKILL');
    });
    await Promise.all([once(child, 'exit'), once(lines, 'close')]);
    return last;
  }
});
