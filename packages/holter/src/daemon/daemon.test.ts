import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { daemonDefaults, instant, type LifecycleRequest, type LinkLook, minutes } from '@holter/core';
import { defaultPolicies, policyFor } from '@holter/server/policy';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ChainBook } from './chain-book.ts';
import { Daemon, type Hand } from './daemon.ts';
import { OutsideVoice } from './outside-voice.ts';

const NAME = 'agent:gt-alpha-witness';
/** Sooner than in the product, so that a test needs few ticks. */
const limits = { ...daemonDefaults.limits, loopCrashes: 2, loopMs: minutes(9), probeEveryMs: minutes(6) };
const settings = {
  ...daemonDefaults,
  limits,
  policy: policyFor(defaultPolicies, 'chain', 'server', 'chain'),
};

let folder: string;
let book: ChainBook;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holter-daemon-'));
  book = await ChainBook.open(join(folder, 'chain.db'), settings, () => 'id');
});
afterEach(async () => {
  await book.close();
  rmSync(folder, { recursive: true });
});

/** A daemon whose server is up and whose Deacon beats, with one agent that the test plays. */
class Bench {
  now = 1_800_000_000_000;
  /** The run of the agent; null if none runs. */
  run: number | null = null;
  starts = 0;
  whyNoStart: string | null = null;
  asked: LifecycleRequest[] = [];
  isHeld = false;
  hasServer = true;
  /** The server spins: it answers nothing, and uses CPU time. */
  isSpinning = false;
  isOutsideUp = true;
  readonly outside: string[] = [];
  readonly letters: string[] = [];
  readonly log: string[] = [];
  readonly daemon: Daemon;

  constructor() {
    const clock = {
      now: () => instant(this.now),
      after: (_ms: number, done: () => void) => {
        done();
        return () => undefined;
      },
    };
    const well = (name: string): Hand => ({
      look: async () => this.look({ process: name, state: 'running', cpuMs: this.now, tick: this.now }),
      stop: async () => 'not here',
      start: async () => undefined,
    });
    const server: Hand = {
      ...well('s'),
      look: async () => {
        const tick = this.isSpinning ? null : this.now;
        return this.look({ process: 's', state: 'running', cpuMs: this.now, tick });
      },
      stop: async () => {
        throw new Error('the server must not be ended');
      },
    };
    const channel = {
      channels: ['ops'],
      hasPing: true,
      send: async (name: string, { action, summary }: { action: string; summary: string }) => {
        if (!this.isOutsideUp) return { kind: 'failed', detail: 'no network' };
        this.outside.push(`${name}: ${action} ${summary}`);
        return { kind: 'posted', detail: '' };
      },
      pingFailure: async (reason: string) => {
        if (!this.isOutsideUp) return 'no network';
        this.outside.push(`ping: ${reason}`);
        return null;
      },
    };
    const member: Hand = {
      look: async (before) => {
        const process = this.run === null ? (before?.process ?? null) : this.process;
        return this.look({ process, state: this.run === null ? 'gone' : 'running' });
      },
      stop: async () => {
        this.run = null;
        return null;
      },
      start: async () => {
        if (this.whyNoStart !== null) throw new Error(this.whyNoStart);
        this.starts += 1;
        this.run = this.starts;
      },
    };
    this.daemon = new Daemon({
      ...{ book, clock, settings },
      hands: { server, boot: well('b'), deacon: well('d'), members: new Map([[NAME, member]]) },
      duties: {
        see: async () => ({
          isBootRunning: true,
          triage: null,
          silence: null,
          lifecycle: this.asked.splice(0),
        }),
        triage: async () => undefined,
        wake: async () => undefined,
        handOver: async ({ by }) => void this.log.push(`letter from ${by}`),
      },
      lookMs: 10_000,
      isHeld: () => this.isHeld,
      newSecret: () => `key ${this.now}`,
      say: (line) => void this.log.push(line),
      tell: async (message) => {
        if (!this.hasServer) return 'the server does not run';
        this.letters.push(message);
        return null;
      },
      outside: new OutsideVoice({
        ...{ book, clock, say: (line) => void this.log.push(line) },
        open: async () => channel as never,
      }),
    });
  }

  get process(): string {
    return `run ${this.run}`;
  }

  ask(action: LifecycleRequest['action']): void {
    const process = this.run === null ? null : this.process;
    this.asked.push({ action, name: NAME, process, by: 'ada', reason: '', at: instant(this.now) });
  }

  async ticks(count: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      this.now += minutes(3);
      await this.daemon.tick();
    }
  }

  private look(more: Partial<LinkLook>): LinkLook {
    return { at: instant(this.now), process: null, state: 'unknown', cpuMs: null, tick: null, ...more };
  }
}

const eventsOf = async (): Promise<string[]> =>
  (await book.unreported()).flatMap(({ agentId, event }) =>
    agentId === NAME && /INCIDENT|TERMINATED|RECOVERY|DECISION/.test(event.type) ? [event.type] : [],
  );

it('starts an agent of the town, and starts it again as an incident on record', async () => {
  const bench = new Bench();
  await bench.ticks(2);
  expect([bench.starts, await eventsOf()]).toEqual([1, []]);
  bench.run = null;
  await bench.ticks(1);
  expect(bench.starts).toBe(2);
  await bench.ticks(6);
  expect(await eventsOf()).toEqual([
    'INCIDENT_OPENED',
    'RECOVERY_INITIATED',
    'RECOVERY_COMPLETED',
    'INCIDENT_CLOSED',
  ]);
  expect(bench.letters).toEqual([]);
});

it('restarts, cycles and shuts down exactly when it is asked to, and says by whom', async () => {
  const bench = new Bench();
  await bench.ticks(2);
  bench.ask('restart');
  await bench.ticks(1);
  expect([bench.run, bench.log.includes(`${NAME}: restart asked for by ada`)]).toEqual([2, true]);
  await bench.ticks(4);
  bench.ask('cycle');
  await bench.ticks(1);
  expect([bench.run, bench.log.includes('letter from ada')]).toEqual([3, true]);
  await bench.ticks(4);
  bench.isHeld = true;
  bench.ask('shutdown');
  await bench.ticks(1);
  bench.isHeld = false;
  await bench.ticks(4);
  expect([bench.run, Object.keys(book.down)]).toEqual([null, [NAME]]);
  bench.ask('resume');
  await bench.ticks(2);
  expect([bench.run, book.down]).toEqual([4, {}]);
  expect(book.link(NAME).budget.crashedAt).toEqual([]);
  expect(bench.letters).toEqual([]);
});

it('remembers across its own restart who was shut down', async () => {
  const bench = new Bench();
  await bench.ticks(2);
  bench.ask('shutdown');
  await bench.ticks(1);
  await book.close();
  book = await ChainBook.open(join(folder, 'chain.db'), settings, () => 'id');
  const next = new Bench();
  next.now = bench.now;
  await next.ticks(3);
  expect([next.starts, Object.keys(book.down)]).toEqual([0, [NAME]]);
});

it('tells of a crash loop once, and of its end once, also if no letter could be sent meanwhile', async () => {
  const bench = new Bench();
  bench.hasServer = false;
  for (let n = 0; n < 8; n++) {
    bench.run = null;
    await bench.ticks(1);
  }
  expect(bench.letters).toEqual([]);
  bench.hasServer = true;
  await bench.ticks(8);
  expect(bench.letters).toEqual([
    expect.stringContaining(`${NAME}: crash loop: 2 crashes within 9 min`),
    `${NAME}: it stays up again; the crash loop is over`,
  ]);
});

const SPINS = 'server: it has not answered at 5 looks, for 12 min, but uses CPU time: it is left alone';

it('tells people without the server that it answers nothing, once by each way, and when it does again', async () => {
  const bench = new Bench();
  await bench.ticks(2);
  bench.isSpinning = true;
  bench.hasServer = false;
  bench.isOutsideUp = false;
  await bench.ticks(5);
  expect([bench.outside, bench.log.includes('ops was not told: no network')]).toEqual([[], true]);
  bench.isOutsideUp = true;
  await bench.ticks(20);
  expect(bench.outside).toEqual([`ops: trigger ${SPINS}`, `ping: ${SPINS}`]);
  await book.close();
  book = await ChainBook.open(join(folder, 'chain.db'), settings, () => 'id');
  const next = new Bench();
  Object.assign(next, { now: bench.now, isSpinning: true, hasServer: false });
  await next.ticks(3);
  expect(next.outside).toEqual([]);
  Object.assign(next, { isSpinning: false, hasServer: true });
  await next.ticks(5);
  expect(next.outside).toEqual([`ops: resolve It is over: ${SPINS}`]);
  expect(book.toldOutside).toEqual([]);
  // What has happened is handed in to the server as an incident.
  const handedIn = (await book.unreported()).filter(({ agentId }) => agentId === 'server');
  expect(handedIn.map(({ event: { type } }) => type)).toEqual(
    expect.arrayContaining(['FINDING_RAISED', 'INCIDENT_OPENED', 'INCIDENT_CLOSED']),
  );
});

it('tells people of a crash loop without the server, and of its end', async () => {
  const bench = new Bench();
  bench.hasServer = false;
  for (let n = 0; n < 8; n++) {
    bench.run = null;
    await bench.ticks(1);
  }
  const loop = `${NAME}: crash loop: 2 crashes within 9 min; from now on it is tried every 6 min`;
  expect(bench.outside).toEqual([`ops: trigger ${loop}`, `ping: ${loop}`]);
  await bench.ticks(8);
  expect(bench.outside.slice(2)).toEqual([`ops: resolve It is over: ${loop}`]);
});

it('tells nobody outside what a letter has told', async () => {
  const bench = new Bench();
  await bench.ticks(2);
  bench.isSpinning = true;
  await bench.ticks(8);
  expect([bench.outside, bench.letters.length > 0]).toEqual([[], true]);
});

it('counts a first start that is refused, says why, and does not try it at every tick for ever', async () => {
  const bench = new Bench();
  bench.whyNoStart = 'the session is in the way';
  await bench.ticks(8);
  expect(bench.log).toContain(`${NAME}: it could not be started: the session is in the way`);
  expect(bench.letters).toEqual([expect.stringContaining('crash loop')]);
});

it('looks after the server while nothing else answers', async () => {
  const never = new Promise<never>(() => undefined);
  const seen: LinkLook = { at: instant(1), process: '{}', state: 'running', cpuMs: 1, tick: 1 };
  const hand: Hand = { look: () => never, stop: async () => null, start: async () => undefined };
  const said: string[] = [];
  const daemon = new Daemon({
    ...{ book, settings, lookMs: 20 },
    clock: { now: () => instant(1), after: () => () => undefined },
    hands: {
      server: { ...hand, look: async () => seen },
      ...{ boot: hand, deacon: hand, members: new Map([[NAME, hand]]) },
    },
    duties: {
      see: () => never,
      triage: async () => undefined,
      wake: async () => undefined,
      handOver: async () => undefined,
    },
    isHeld: () => false,
    newSecret: () => 'key',
    say: (line) => void said.push(line),
    tell: async () => null,
    outside: { tell: async () => undefined, settle: async () => undefined },
  });
  await daemon.tick();
  expect([book.link('server').look?.state, book.link('deacon').look?.state]).toEqual(['running', 'unknown']);
  const late = 'it could not be looked at: the look took too long';
  expect(said).toEqual([
    ...['boot', 'deacon', NAME].map((name) => `${name}: ${late}`),
    'the town could not be looked at: the look took too long',
  ]);
});
