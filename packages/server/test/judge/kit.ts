import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Instant, instant } from '@holter/core';
import type { Clock } from '../../src/engine/clock.ts';
import { ReplyQueue } from '../../src/engine/reply-queue.ts';
import { Intake } from '../../src/intake/index.ts';
import { Judge } from '../../src/judge/index.ts';
import { compile } from '../../src/policy/index.ts';
import { shippedPrices } from '../../src/prices/index.ts';
import { openMemory } from '../../src/store/memory/index.ts';
import type { Store } from '../../src/store/store.ts';
import { engineOf } from '../engine.ts';

const recorded = new URL('../../../../tests/fixtures/judge/', import.meta.url).pathname;

type Recorded = {
  readonly minutesAgo: Readonly<Record<string, number>>;
  /** The one that is judged. */
  readonly session: string;
  readonly ticket: { readonly severity: string; readonly condition: string } | null;
};

/** Recorded sessions, and the ticket that each must lead to. */
export const RECORDED = JSON.parse(readFileSync(join(recorded, 'expected.json'), 'utf8')) as Readonly<
  Record<string, Recorded>
>;

/** By the clock of the tests; the real one plays no part. */
export const T0 = instant(1_771_860_000_000);
export const MINUTE = 60_000;

/** A copy of a recorded folder, whose files have the age that the record says. */
export function copyRecorded(name: string, at: number = T0): string {
  const folder = join(realpathSync(mkdtempSync(join(tmpdir(), 'holter-judge-'))), name);
  cpSync(join(recorded, name), folder, { recursive: true });
  for (const session of readdirSync(join(folder, 'sessions'))) {
    const seconds = (at - (RECORDED[name]?.minutesAgo[session] ?? 0) * MINUTE) / 1_000;
    const place = join(folder, 'sessions', session);
    for (const file of ['state.json', 'logs/tool_logs.jsonl']) {
      try {
        utimesSync(join(place, file), seconds, seconds);
      } catch {
        // The orphan has no state.
      }
    }
  }
  return folder;
}

/** A judge around a real engine, whose rounds a test asks for. */
export async function judgeWorld(
  config: object = {},
  parts: {
    readonly folders?: readonly string[];
    /** When processes began; by default none that a folder names runs. */
    readonly startOf?: (pid: number) => number | null;
    /** Of a server that was there before. */
    readonly store?: Store;
    readonly at?: number;
  } = {},
) {
  let at: number = parts.at ?? T0;
  const clock: Clock = { now: () => instant(at), after: () => () => undefined };
  /** Time goes by in rounds; only a short time-out of a model is real. */
  const after: Clock['after'] = (ms, callback) => {
    const timer = setTimeout(callback, ms);
    timer.unref();
    return () => clearTimeout(timer);
  };
  const store = parts.store ?? openMemory();
  const compiled = compile({ judge: { folders: parts.folders ?? [], ...config } });
  if (compiled.kind !== 'compiled') throw new Error(JSON.stringify(compiled.problems));
  const engine = engineOf({ store, clock, policies: compiled.policies });
  const replies = new ReplyQueue(clock, (effect, outcome, detail) => engine.receive(effect, outcome, detail));
  await engine.start();
  const intake = new Intake({ engine, replies, store, clock });
  const warnings: string[] = [];
  let ids = 0;
  const judge = new Judge({
    ...{
      engine,
      intake,
      store,
      clock: { ...clock, after },
      wallNow: () => at,
      newId: () => `ticket-${++ids}`,
    },
    base: () => '/',
    startOf: parts.startOf ?? (() => null),
    prices: shippedPrices().table,
    ...{ env: { PATH: process.env.PATH, KEY: 'secret-key' }, folder: '/' },
    warn: (message) => void warnings.push(message),
    failed: (error) => {
      throw error;
    },
  });
  return {
    judge,
    engine,
    intake,
    store,
    warnings,
    now: (): Instant => clock.now(),
    /** Time goes by, and the judge looks. */
    round: async (minutes = 0): Promise<void> => {
      at += minutes * MINUTE;
      await judge.round();
    },
    tickets: async () =>
      (await judge.tickets.list()).map(({ agentId, condition, status, ticket }) => ({
        agentId,
        condition,
        status,
        severity: ticket.severity,
      })),
  };
}
