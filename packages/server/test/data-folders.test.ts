import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Agent,
  type Effect,
  type EffectKind,
  hours,
  instant,
  LADDER,
  minutes,
  seconds,
} from '@holter/core';
import Database from 'libsql';
import { afterEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../src/config/load.ts';
import type { Engine } from '../src/engine/engine.ts';
import type { Executor } from '../src/engine/executor.ts';
import { createLogger } from '../src/logging/logger.ts';
import { type RunningServer, startServer } from '../src/server.ts';
import { openSqlite } from '../src/store/sqlite/index.ts';
import { MIGRATIONS } from '../src/store/sqlite/migrations.ts';
import type { Store, StoredAgent, StoredEffect } from '../src/store/store.ts';
import { ManualClock } from './manual-clock.ts';

const FOLDERS = new URL('../../../tests/fixtures/data-folders/', import.meta.url).pathname;
const VERSIONS = readdirSync(FOLDERS, { withFileTypes: true }).flatMap((each) =>
  each.isDirectory() ? [each.name] : [],
);
const CONFIG = 'profiles: { limited: { limits: { tokens_max: 1000, step: terminate } } }';
const LADDER_ACTS: ReadonlySet<EffectKind> = new Set<EffectKind>([
  'nudge',
  'deny-call',
  'request-handoff',
  'terminate',
  'spawn',
]);

const NOT_TOLD = [
  'NUDGE_SENT',
  'AGENT_TERMINATED',
  'RECOVERY_INITIATED',
  'INCIDENT_OPENED',
  'ACK_OVERDUE',
] as const;

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function copyOf(version: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'holter-old-folder-'));
  closing.push(() => rmSync(folder, { recursive: true }));
  cpSync(join(FOLDERS, version), folder, { recursive: true });
  return folder;
}

type Opened = {
  readonly server: RunningServer;
  readonly engine: Engine;
  readonly store: Store;
  readonly clock: ManualClock;
  readonly log: readonly { readonly level: number; readonly msg: string }[];
};

/** The whole server, so long after the folder was written, with further executors beside its own. */
async function open(folder: string, laterMs: number, executors: readonly Executor[] = []): Promise<Opened> {
  const writtenAt = lastTickOf(folder);
  const log: { level: number; msg: string }[] = [];
  const loaded = loadConfig('x', () => CONFIG);
  if (loaded.kind !== 'loaded') throw new Error('the configuration is wrong');
  let engine: Engine | null = null;
  let store: Store | null = null;
  // The database answers one request after the other: after some of them, what was begun before is done.
  const settle = async (): Promise<void> => {
    for (let round = 0; round < 6; round++) await store?.lastCursor();
  };
  const clock = new ManualClock(writtenAt + laterMs, settle);
  const server = await startServer({
    dataFolder: folder,
    config: loaded.config,
    version: 'test',
    logger: createLogger({ write: (line) => log.push(JSON.parse(line)), isPretty: false }),
    port: 0,
    demo: {
      clock,
      speed: 1,
      begin: (parts) => {
        engine = parts.engine;
        store = parts.store as Store;
        return () => undefined;
      },
    },
  });
  closing.push(() => server.stop());
  if (!engine || !store) throw new Error('the demo world did not begin');
  for (const executor of executors) (engine as Engine).addExecutor(executor);
  return { server, engine, store, clock, log };
}

function lastTickOf(folder: string): number {
  const database = new Database(join(folder, 'holter.db'), { readonly: true });
  const [row] = database.prepare("select value from meta where key = 'ticks'").all([]) as { value: string }[];
  database.close();
  return (JSON.parse(row?.value ?? '{}') as { lastTickAt: number }).lastTickAt;
}

const agentsOf = async (store: Store): Promise<readonly StoredAgent[]> =>
  (await store.listAgents({ limit: 1_000 })).items;
const effectsOf = (store: Store): Promise<readonly StoredEffect[]> => store.listEffects({ limit: 1_000 });
const isOpen = ({ status }: StoredEffect): boolean => status === 'pending' || status === 'claimed';

async function contentOf<T>(folder: string, read: (store: Store) => Promise<T>): Promise<T> {
  const copy = mkdtempSync(join(tmpdir(), 'holter-old-content-'));
  cpSync(join(folder, 'holter.db'), join(copy, 'holter.db'));
  const store = await openSqlite(join(copy, 'holter.db'));
  try {
    return await read(store);
  } finally {
    await store.close();
    rmSync(copy, { recursive: true });
  }
}

describe.each(VERSIONS)('a data folder of version %s', { timeout: 60_000 }, (version) => {
  test('holds what it is kept for', async () => {
    const agents = await contentOf(join(FOLDERS, version), agentsOf);
    const effects = await contentOf(join(FOLDERS, version), effectsOf);
    const tokens = await contentOf(join(FOLDERS, version), (store) => store.listTokens());
    const hards = agents.map(({ agent }) => agent.hard);
    const find = (agentId: string) => hards.find((hard) => hard.agentId === agentId);

    expect(new Set(hards.map(({ incident }) => incident?.step))).toEqual(new Set([undefined, ...LADDER]));
    expect(find('escalate-unread')?.incident).toMatchObject({ step: 'escalate', phase: 'waiting' });
    expect(find('escalate-unread')?.incident?.noticedAt).toBeUndefined();
    expect(find('recover-claimed')?.incident).toMatchObject({ step: 'recover', phase: 'acting' });
    // Since version 4, an end that nobody was to prevent opens no incident.
    const ended = version < 'v4' ? 'FAILING' : 'TERMINATED';
    expect(find('exit-code')).toMatchObject({ health: ended, end: { detail: 'exit code 5' } });
    expect(Object.values(find('breakers')?.breakers ?? {}).map(({ state }) => state)).toEqual([
      'OPEN',
      'CLOSED',
      'HALF_OPEN',
    ]);
    const kinds = new Set(effects.filter(isOpen).map(({ effect }) => effect.kind));
    expect([...kinds].sort()).toEqual(
      ['deny-call', 'inquire', 'notify', 'nudge', 'remind', 'request-handoff', 'spawn', 'terminate'].sort(),
    );
    const claimed = effects.filter(({ status }) => status === 'claimed').map(({ effect }) => effect.kind);
    // Since version 5, reminders of letters are claimed by the post office.
    expect(claimed.filter((kind) => version < 'v5' || kind !== 'remind')).toEqual(['terminate', 'spawn']);
    if (version >= 'v5') {
      const remote = { of: 'remote', box: 'inbox', limit: 10 } as const;
      const letters = await contentOf(join(FOLDERS, version), (store) => store.listLetters(remote));
      expect(letters.map(({ readAt, acknowledgedAt }) => [readAt !== null, acknowledgedAt !== null])).toEqual(
        expect.arrayContaining([
          [false, false],
          [true, false],
          [true, true],
        ]),
      );
      expect(find('remote')).toMatchObject({ task: {}, otherTasks: [{}] });
      expect(find('judged')?.incident).toMatchObject({ cause: 'ticket', step: 'escalate' });
    }
    expect(new Set(tokens.map(({ role }) => role)).size).toBe(5);
    expect(tokens.filter(({ revokedAt }) => revokedAt !== null).length).toBe(1);
  });

  test('opened a month later, it starts, stops and nudges nobody', async () => {
    const folder = copyOf(version);
    const before = await contentOf(folder, effectsOf);
    const { store, clock, log } = await open(folder, hours(24 * 30));
    const cursor = await contentOf(join(FOLDERS, version), (old) => old.lastCursor());
    await clock.advance(seconds(10));

    const known = new Set(before.map(({ effect }) => effect.id));
    const added = (await effectsOf(store)).filter(({ effect }) => !known.has(effect.id));
    expect(added.filter(({ effect }) => LADDER_ACTS.has(effect.kind))).toEqual([]);
    // Nobody has taken up what belongs to a run that is not connected.
    const owned = (await effectsOf(store)).filter(({ effect }) => effect.executor !== null);
    expect(owned.map(({ effect, status }) => [effect.id, status])).toEqual(
      before
        .filter(({ effect }) => effect.executor !== null)
        .map(({ effect, status }) => [effect.id, status]),
    );
    const told = (await store.readEvents({ after: cursor, limit: 1_000 })).map(({ event }) => event.type);
    for (const type of NOT_TOLD) expect(told).not.toContain(type);
    expect(log.filter(({ level }) => level >= 50)).toEqual([]);
  });

  test('a run that connects is given only what was ordered before, and no kill that nobody ordered', async () => {
    const folder = copyOf(version);
    const before = await contentOf(folder, effectsOf);
    const ordered = before.filter(isOpen).map(({ effect }) => effect.id);
    const runs = new Set(before.flatMap(({ effect }) => effect.executor ?? []));
    const acted: string[] = [];
    const executors = [...runs].map((id): Executor => {
      const act: Executor['act'] = async (effect) => {
        acted.push(effect.id);
        return {
          kind: 'underway',
          checkAgainAt: instant(lastTickOf(join(FOLDERS, version)) + hours(24 * 31)),
          detail: 'recorded',
        };
      };
      return { name: 'recorder', id, kinds: LADDER_ACTS, act };
    });
    const { clock } = await open(folder, hours(24 * 30), executors);
    await clock.advance(seconds(10));
    for (const id of acted) expect(ordered).toContain(id);
    expect([...new Set(acted)].sort()).toEqual([
      'recover-claimed/1/recover/1',
      'recover-pending/1/recover/1',
      'terminate-acting/1/terminate/1',
      'terminate-handoff/1/terminate/1/handoff',
    ]);
  });

  test('a start under way is ordered again with a key that nobody can guess', async () => {
    const orders: Effect[] = [];
    const act: Executor['act'] = async (effect) => {
      orders.push(effect);
      return { kind: 'receipt', outcome: 'done', detail: 'started' };
    };
    const before = await contentOf(join(FOLDERS, version), agentsOf);
    const old = before.find(({ agent }) => agent.hard.agentId === 'recover-claimed')?.agent.hard;
    if (!old) throw new Error('the folder holds no start under way');
    const { agentId, role, group, mode, promises, can, executor } = old;
    const kinds = new Set<EffectKind>(['spawn']);
    const { engine, store, clock } = await open(copyOf(version), minutes(1), [
      { name: 'recorder', id: executor, kinds, act },
    ]);
    await clock.advance(seconds(10));
    const order = orders.find((effect) => effect.agentId === agentId);
    const key = order?.kind === 'spawn' ? (order.key ?? '') : '';
    expect(key).toMatch(/^hlt_[\w-]{43}$/);
    expect(JSON.stringify(await effectsOf(store))).not.toContain(key);

    const fields = { agentId, role, group, mode, promises, can, executor };
    const guessed = { ...fields, instanceId: 'thief', spawnKey: `${agentId}/1/recover/1` };
    expect(await engine.register(guessed)).toMatchObject({ enrollment: { code: 'unknown_spawn_key' } });
    expect((await engine.read(agentId))?.hard.incident).toMatchObject({ step: 'recover', phase: 'acting' });
    const enrolled = await engine.register({ ...fields, instanceId: 'successor', spawnKey: key });
    expect(enrolled).toMatchObject({ agent: { hard: { incident: { step: 'recover', phase: 'waiting' } } } });
  });

  test('runs on: everybody is judged, heard and decided about, and every incident can end', async () => {
    const { engine, store, clock, log } = await open(copyOf(version), minutes(1));
    const stored = await agentsOf(store);
    expect(stored.length).toBeGreaterThan(30);
    for (const { agent } of stored) await hear(engine, agent);
    for (const { agent } of stored) await decide(engine, agent);
    await clock.advance(minutes(3));
    for (const { agent } of stored) await end(engine, agent.hard.agentId);
    await clock.advance(minutes(3));

    const after = await agentsOf(store);
    expect(after.length).toBe(stored.length);
    expect(after.filter(({ agent }) => agent.hard.incident).map(({ agent }) => agent.hard.agentId)).toEqual(
      [],
    );
    expect(await store.check()).toEqual([]);
    expect(log.filter(({ level }) => level >= 50)).toEqual([]);
  });

  test('is copied once before it is migrated, for its owner only, and the log says so', async () => {
    const folder = copyOf(version);
    const copy = join(folder, `holter.db.before-v${MIGRATIONS.length}`);
    const first = await open(folder, minutes(1));
    const told = first.log.filter(({ msg }) => msg.includes('upgraded'));
    await first.server.stop();
    const isMigrated = schemaOf(join(FOLDERS, version)) < MIGRATIONS.length;
    expect(existsSync(copy)).toBe(isMigrated);
    expect(told.length).toBe(isMigrated ? 1 : 0);
    if (!isMigrated) return;
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(await contentOf(join(FOLDERS, version), agentsOf)).toEqual(await contentOfCopy(copy, agentsOf));
    expect(schemaOf(folder, `holter.db.before-v${MIGRATIONS.length}`)).toBe(schemaOf(join(FOLDERS, version)));

    const { mtimeMs } = statSync(copy);
    const second = await open(folder, minutes(2));
    expect(second.log.filter(({ msg }) => msg.includes('upgraded'))).toEqual([]);
    expect(statSync(copy).mtimeMs).toBe(mtimeMs);
  });

  test('of a newer Holter is refused in one sentence, and left as it is', async () => {
    const folder = copyOf(version);
    const database = new Database(join(folder, 'holter.db'));
    database.exec("insert into migrations values (999, 'from the future')");
    database.close();
    const before = filesOf(folder);
    const failure = await open(folder, minutes(1)).catch((error: unknown) => error);
    expect(String(failure)).toContain('was written by a newer Holter (schema 999');
    expect(filesOf(folder)).toEqual(before);
  });
});

async function hear(engine: Engine, { hard }: Agent): Promise<void> {
  const { agentId, incarnation } = hard;
  const beat = await engine.signal({ agentId, incarnation, kind: 'heartbeat' }, 'agent');
  expect(beat.kind).toBe('folded');
  if (hard.end) return;
  expect(beat).not.toHaveProperty('rejected');
  const call = { agentId, incarnation, callId: 'new', tool: 'Read', input: { path: 'new.txt' } };
  await engine.signal({ ...call, kind: 'call-begun' }, 'agent');
  const ended = await engine.signal({ ...call, kind: 'call-ended', output: 'new', isError: false }, 'agent');
  expect(ended).not.toHaveProperty('rejected');
}

async function decide(engine: Engine, { hard: { agentId } }: Agent): Promise<void> {
  const incident = (await engine.read(agentId))?.hard.incident;
  if (!incident || incident.acknowledged) return;
  const words = { by: 'a test', reason: 'to see that it can be', incidentId: incident.id };
  const answer = await engine.decide(agentId, { decision: 'acknowledge', ...words });
  expect(answer).not.toHaveProperty('rejected');
}

/** It ends on purpose, and where somebody wants it back after that, it comes back by itself. */
async function end(engine: Engine, agentId: string): Promise<void> {
  const read = async (): Promise<Agent['hard']> => {
    const agent = await engine.read(agentId);
    if (!agent) throw new Error(`${agentId} is not known any more`);
    return agent.hard;
  };
  const { incarnation, end: isEnded } = await read();
  if (!isEnded) await engine.signal({ agentId, incarnation, kind: 'exited', code: 0 }, 'holter');
  const { incident, role, group, mode, promises, can, executor } = await read();
  if (!incident) return;
  const fields = { agentId, role, group, mode, promises, can, executor };
  const answer = await engine.register({ ...fields, instanceId: 'by itself' });
  expect(answer).toMatchObject({ kind: 'enrolled', enrollment: { kind: 'enrolled' } });
}

function schemaOf(folder: string, name = 'holter.db'): number {
  const database = new Database(join(folder, name), { readonly: true });
  const [row] = database.prepare('select max(version) as version from migrations').all([]) as {
    version: number;
  }[];
  database.close();
  return row?.version ?? 0;
}

function contentOfCopy<T>(file: string, read: (store: Store) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'holter-copy-'));
  closing.push(() => rmSync(folder, { recursive: true }));
  cpSync(file, join(folder, 'holter.db'));
  return contentOf(folder, read);
}

/** Every file with its bytes; the lock is taken before anything is opened, and says so in files of its own. */
const filesOf = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => !name.startsWith('holter.lock'))
      .map((name) => [name, readFileSync(join(folder, name)).toString('base64')]),
  );
