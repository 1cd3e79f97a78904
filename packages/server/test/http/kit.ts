import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { type Instant, instant } from '@holter/core';
import type { FastifyInstance } from 'fastify';
import { expect } from 'vitest';
import { type Alerts, connectAlerts } from '../../src/alerts/index.ts';
import type { ChannelConfig, UnreadNotices } from '../../src/channels/index.ts';
import type { Clock } from '../../src/engine/clock.ts';
import { Engine } from '../../src/engine/engine.ts';
import { ReplyQueue } from '../../src/engine/reply-queue.ts';
import { ExecutorHub } from '../../src/executors/index.ts';
import { type Client, createClient } from '../../src/http/client.ts';
import type { HttpLimits } from '../../src/http/deps.ts';
import { buildHttp } from '../../src/http/server/build-http.ts';
import { Intake } from '../../src/intake/index.ts';
import { Judge } from '../../src/judge/index.ts';
import { compile, type Network, type PolicySet, type Quotas } from '../../src/policy/index.ts';
import { MailTray, PostOffice } from '../../src/post/index.ts';
import { systemTable } from '../../src/processes/index.ts';
import { hookSessions, startSessions } from '../../src/sessions/index.ts';
import { openMemory } from '../../src/store/memory/index.ts';
import type { Store, TokenRole } from '../../src/store/store.ts';
import type { Traces } from '../../src/tracing/index.ts';

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const newSecret = (): string => `hlt_${randomBytes(32).toString('base64url')}`;

/** Real timers, and a clock that a test may move forward. */
export type TestClock = Clock & { skip(ms: number): void };

export const testClock = (): TestClock => {
  const offset = Date.now() - performance.now();
  return skippingClock(() => offset + performance.now());
};

/** Time passes only when it is told to: for tests that measure it, however busy the machine is. */
export const stillClock = (): TestClock => {
  const start = Date.now();
  return skippingClock(() => start);
};

function skippingClock(base: () => number): TestClock {
  let skipped = 0;
  return {
    now: () => instant(Math.floor(base() + skipped)),
    after: (ms, callback) => {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
    skip: (ms) => {
      skipped += ms;
    },
  };
}

/** Short times, so that a few simulated seconds tell a whole story. */
export function shortPolicies(): PolicySet {
  const compiled = compile({
    health_monitoring: {
      heartbeat: { interval_seconds: 10, timeout_seconds: 20 },
      health_check: { interval_seconds: 1, checkpoint_stale_threshold_seconds: 8 },
      intervention: {
        nudge: { max_attempts: 1, interval_seconds: 3 },
        escalation: { timeout_seconds: 60 },
      },
    },
    rules: { checkpoint_warn: 2, settle: 1 },
    profiles: { patient: { rules: { unattended: false } } },
  });
  if (compiled.kind !== 'compiled') throw new Error(JSON.stringify(compiled.problems));
  return compiled.policies;
}

export type Reply = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // A test looks into whatever came.
  readonly json: Record<string, unknown>;
};

export type TestServer = {
  readonly url: string;
  readonly port: number;
  readonly app: FastifyInstance;
  readonly engine: Engine;
  readonly store: Store;
  readonly clock: TestClock;
  readonly notices: UnreadNotices;
  /** Looks when a test asks for a round. */
  /** Not started. */
  readonly alerts: Alerts;
  readonly judge: Judge;
  readonly tokens: Readonly<Record<'operator' | 'enroll' | 'viewer' | 'orchestrator', string>>;
  readonly operator: Client;
  client(token: string): Client;
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
  /** Seconds go by, with a tick in each. */
  pass(seconds: number): Promise<void>;
  stop(): Promise<void>;
  /** The port that takes calls without a token; returns its address. */
  openMaestro(): Promise<string>;
};

export type CallOptions = {
  readonly token?: string;
  readonly body?: unknown;
  readonly raw?: string | Uint8Array;
  readonly headers?: Record<string, string>;
};

export type StartOptions = {
  /** Default: short times. */
  readonly policies?: PolicySet;
  readonly store?: Store;
  readonly limits?: Partial<HttpLimits>;
  readonly clock?: TestClock;
  readonly tokens?: TestServer['tokens'];
  readonly port?: number;
  readonly inboxMax?: number;
  /** Holter's own judge, as hooks see it. */
  readonly judge?: Parameters<typeof hookSessions>[0]['judge'];
  /** Another server works on the same store. */
  readonly isShared?: true;
  readonly quotas?: Partial<Quotas>;
  /** As a configuration says it that is read again while the server runs. */
  readonly network?: () => Network;
  readonly isDraining?: () => boolean;
  /** What became of hooks that were answered and not kept; without it such a hook fails the test. */
  readonly hookFailed?: (error: unknown) => void;
  readonly channels?: readonly ChannelConfig[];
  readonly traces?: Traces;
  /** Where sessions keep their files, which are then watched; without it only hooks are heard. */
  readonly claudeFolder?: string;
};

export async function startHttp(options: StartOptions = {}): Promise<TestServer> {
  const { store = openMemory(), clock = testClock() } = options;
  const policies = options.policies ?? shortPolicies();
  const receive = (...args: Parameters<Engine['receive']>) => engine.receive(...args);
  const replies = new ReplyQueue(clock, receive);
  const { alerts, executor, channelsFor, notices } = connectAlerts({
    store,
    clock,
    engine: () => engine,
    channels: options.channels ?? [],
    url: () => null,
    ping: () => null,
    hindrances: () => [],
    desktop: { env: {}, platform: 'test', terminal: '/dev/null' },
    newId: randomUUID,
    failed: (error) => {
      throw error;
    },
  });
  const engine: Engine = new Engine({
    store,
    clock,
    policies: { ...policies, quotas: { ...policies.quotas, ...options.quotas } },
    executors: [replies, executor],
    channelsFor,
    sha256,
    newId: randomUUID,
    newSecret: randomUUID,
    isAlone: options.isShared !== true,
    checked: (check) => options.traces?.checked(check),
    onBug: (error) => {
      throw error;
    },
    ...(options.inboxMax !== undefined && { inboxMax: options.inboxMax }),
  });
  replies.follow(engine);
  const tokens = options.tokens ?? (await makeTokens(store, clock.now()));
  await engine.start();
  const intake = new Intake({ engine, replies, store, clock });
  const executors = new ExecutorHub({
    engine,
    intake,
    store,
    clock,
    replies,
    table: systemTable(),
    hostId: 'here',
    onBug: (error) => {
      throw error;
    },
    presented: () => undefined,
  });
  await executors.start();
  const name = () => engine.currentPolicies.operations.mailName;
  const office = new PostOffice({ engine, intake, replies, store, clock, sha256, newId: randomUUID, name });
  const judge = new Judge({
    ...{ engine, intake, store, clock, wallNow: clock.now, newId: randomUUID },
    base: () => '.',
    ...{ env: {}, folder: '.', prices: [] },
    warn: () => undefined,
    failed: (error) => {
      throw error;
    },
  });
  alerts.watchJudge(judge);
  const failed =
    options.hookFailed ??
    ((error: unknown) => {
      throw error;
    });
  const heard = {
    ...{ engine, intake, store, replies, clock, failed },
    mail: new MailTray({ office, clock, failed }),
    ...(options.judge && { judge: options.judge }),
  };
  const { claudeFolder } = options;
  const sessions =
    claudeFolder === undefined
      ? null
      : startSessions({ ...heard, env: { CLAUDE_CONFIG_DIR: claudeFolder }, warn: () => undefined });
  const { http: app, maestro } = buildHttp({
    engine,
    intake,
    hooks: sessions?.hooks ?? hookSessions(heard),
    store,
    replies,
    notices,
    alerts,
    executors,
    office,
    judge,
    clock,
    sha256,
    newSecret,
    newId: randomUUID,
    config: () => ({
      policies: { ...policies, network: options.network?.() ?? policies.network },
      files: [],
      placeOf: () => null,
      channels: [],
      deadMan: null,
      tls: null,
      database: 'sqlite',
      warnings: [],
    }),
    version: '0.0.0-test',
    logger: false,
    hosts: ['127.0.0.1', 'localhost'],
    startedAt: clock.now(),
    ...(options.isDraining && { isDraining: options.isDraining }),
    ...(options.traces && { traces: options.traces }),
    ...(options.limits && { limits: options.limits }),
  });
  await app.listen({ host: '127.0.0.1', port: options.port ?? 0 });
  const { port } = app.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const client = (token: string) => createClient({ url, token });
  const open: FastifyInstance[] = [];
  return {
    openMaestro: async () => {
      const other = maestro(['127.0.0.1', 'localhost']);
      open.push(other);
      await other.listen({ host: '127.0.0.1', port: 0 });
      return `http://127.0.0.1:${(other.server.address() as AddressInfo).port}`;
    },
    url,
    port,
    app,
    engine,
    store,
    clock,
    notices,
    alerts,
    judge,
    tokens,
    operator: client(tokens.operator),
    client,
    call: (method, path, more = {}) => call(url, method, path, more),
    pass: async (count) => {
      for (let i = 0; i < count; i += 1) {
        clock.skip(1_000);
        await engine.tick();
      }
    },
    stop: async () => {
      await executors.close();
      await sessions?.close();
      for (const other of open) await other.close();
      await app.close();
      await engine.stop();
    },
  };
}

async function makeTokens(store: Store, createdAt: Instant): Promise<TestServer['tokens']> {
  const make = async (role: TokenRole, group: string | null = null): Promise<string> => {
    const secret = newSecret();
    const hash = sha256(secret);
    await store.putToken({ id: `t-${role}`, hash, role, agentId: null, group, createdAt, revokedAt: null });
    return secret;
  };
  return {
    operator: await make('operator'),
    enroll: await make('enroll'),
    viewer: await make('viewer'),
    orchestrator: await make('orchestrator', 'crew'),
  };
}

async function call(url: string, method: string, path: string, options: CallOptions): Promise<Reply> {
  const { token, body, raw, headers = {} } = options;
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...((body !== undefined || raw !== undefined) && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(raw !== undefined ? { body: raw } : body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = (response.headers.get('content-type') ?? '').startsWith('application/json');
  const json = isJson && text !== '' ? (JSON.parse(text) as Record<string, unknown>) : {};
  return { status: response.status, headers: response.headers, text, json };
}

/** Asks until it is so; fails with the last answer when it never is. */
export async function until<T>(ask: () => T | Promise<T>, isSo: (value: T) => boolean): Promise<T> {
  const deadline = performance.now() + 5_000;
  for (;;) {
    const value = await ask();
    if (isSo(value)) return value;
    if (performance.now() > deadline) {
      expect(value, 'never came to be as wanted').toBe('as wanted');
      return value;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/**
 * All that is stored. A refusal may be on record, which raises the agent's version and its time; what it
 * was refused for may not.
 */
export async function dump(store: Store): Promise<Record<string, unknown>> {
  const events = await store.readEvents({ after: 0, limit: 100_000 });
  const agents = await store.listAgents({ limit: 10_000 });
  const effects = await store.listEffects({ limit: 10_000 });
  const ids = agents.items.map(({ agent }) => agent.hard.agentId);
  const checkpoints = await Promise.all(ids.map((id) => store.listCheckpoints(id, 100)));
  return {
    agents: agents.items.map(({ agent: { soft, hard } }) => ({ soft, hard: { ...hard, at: 0 } })),
    effects,
    checkpoints,
    tokens: await store.listTokens(),
    fleet: await store.loadFleet(),
    events: events.filter(({ event }) => !event.type.endsWith('_REJECTED')),
  };
}
