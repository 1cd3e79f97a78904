import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decisionsView as viewOfBuiltCore } from '../../server/src/http/decisions-view.ts';
import { instant, NEVER, seconds } from '../src/base/time.ts';
import { HARMLESS_TWICE } from '../src/fold/admissible.ts';
import type { Agent } from '../src/record/agent.ts';
import type { Applied, Input, InputBody } from '../src/record/input.ts';
import { openLives } from '../src/record/lives.ts';
import { outlineOf } from '../src/record/outline.ts';
import { applyInput, foldFully } from '../src/transition/apply-input.ts';
import type { Transition } from '../src/transition/transition.ts';
import type { Effect } from '../src/vocabulary/effect.ts';
import { LADDER } from '../src/vocabulary/ladder.ts';
import type { SignalBody } from '../src/vocabulary/signal.ts';
import { withStall } from '../src/vocabulary/stall.ts';
import { type Happening, happenings, rawPolicy, registration, SENSES } from './arbitrary.ts';
import { Bench, isShortWay, policiesOf, type registrationOf } from './kit.ts';

/** An effect that the agent's record does not know. */
const NEVER_WANTED: Effect = {
  id: 'ada/1/nudge/1',
  agentId: 'ada',
  incarnation: 1,
  executor: null,
  livesBy: 'incident:ada/1',
  step: { incidentId: 'ada/1', step: 'nudge', attempt: 1 },
  kind: 'nudge',
  attempt: 1,
  about: 'silent',
  message: 'Holter: …',
};

const BEATS: readonly SignalBody[] = [
  { kind: 'heartbeat' },
  { kind: 'heartbeat', phase: 'a' },
  { kind: 'heartbeat', tokenCount: 500 },
  { kind: 'heartbeat', tokenCount: 9_999_999 },
  { kind: 'heartbeat', errorCount: 0 },
  { kind: 'heartbeat', taskId: 't1', timestamp: 900_000, lastToolCall: 800_000 },
  { kind: 'heartbeat', status: 'healthy', progressIndicator: 'b' },
];

const DOINGS: readonly SignalBody[] = [
  { kind: 'tokens', total: 700 },
  { kind: 'call-begun', callId: 'c', tool: 'bash' },
  { kind: 'call-ended', callId: 'c', tool: 'bash', isError: false },
  { kind: 'task-updated', taskId: 't1', percent: 50 },
  { kind: 'turn-begun' },
  { kind: 'turn-ended' },
];

/** The server imports the built core, whose branded types are distinct from those of the sources. */
const decisionsView = viewOfBuiltCore as unknown as (
  agent: Agent,
  policy: Bench['policy'],
  at: Bench['at'],
  isStarterGone: boolean,
) => ReturnType<typeof viewOfBuiltCore>;

let shortWays = 0;

/** One agent, and everything that was ever decided about it. */
class Life {
  readonly bench: Bench;
  readonly mode: string;
  readonly effects: Effect[] = [];
  private readonly taken = new Map<string, number>();
  private isOrderedToAct = false;
  private seq = 0;

  constructor(fields: Parameters<typeof registrationOf>[0], raw: unknown) {
    this.bench = new Bench(fields, policiesOf(raw));
    this.mode = this.bench.agent.hard.mode;
  }

  live(what: Happening): void {
    const { bench } = this;
    switch (what.kind) {
      case 'wait':
        bench.at = instant(bench.at + what.ms);
        return this.feed({ kind: 'tick' });
      case 'wake':
        if (bench.agent.hard.wakeAt !== NEVER && bench.agent.hard.wakeAt > bench.at)
          bench.at = bench.agent.hard.wakeAt;
        return this.feed({ kind: 'tick' });
      case 'back':
        return this.feedBack(what.ms);
      case 'stall': {
        const from = bench.at;
        bench.at = instant(bench.at + what.ms);
        bench.stalls = withStall(bench.stalls, from, bench.at);
        return this.feed({ kind: 'tick' });
      }
      case 'signal':
        return this.signal(what);
      case 'stale':
        return this.stale(what);
      case 'decision':
        if (/terminate|recover|handoff|replace/.test(what.decision.decision)) this.isOrderedToAct = true;
        return this.feed({ kind: 'decision', decision: what.decision });
      case 'receipt':
        return this.feed({
          kind: 'receipt',
          effect: this.pick(what.pick),
          outcome: what.outcome,
          detail: 'it',
        });
      case 'claim': {
        const { isTaskOpen } = what;
        const found = isTaskOpen ? { checkpointId: 'a', checkpointHash: 'a' } : { checkpointId: null };
        const spawnKey = `key-${this.bench.at}`;
        const evidence = { spawnKey, ...(isTaskOpen !== undefined && { isTaskOpen, ...found }) };
        return this.feed({ kind: 'claim', effect: this.pick(what.pick), evidence });
      }
      case 'breaker':
        return this.feed({ kind: 'breaker', name: what.name, act: what.act, roll: what.roll });
      case 'register':
        return this.register(what.isOrdered, what.instanceId);
    }
  }

  private pick = (back: number): Effect => this.effects.at(-1 - back) ?? NEVER_WANTED;

  private signal({ body, id, seq }: Extract<Happening, { kind: 'signal' }>): void {
    const { agentId, incarnation } = this.bench.agent.hard;
    this.seq += 1;
    const envelope = {
      agentId,
      incarnation,
      ...(id !== undefined && { id }),
      ...(seq !== undefined && { channel: 'log', seq: this.seq }),
    };
    const origin = SENSES.has(body.kind) || (body.kind === 'exited' && id === undefined) ? 'holter' : 'agent';
    const input: InputBody = { kind: 'signal', origin, signal: { ...envelope, ...body } };
    this.feed(input);
    if (id === undefined && seq === undefined) return;
    const before = this.bench.agent;
    const again = this.bench.transition(before, this.bench.inputOf(input));
    // The ids of these signals are not remembered; folded in again, they change nothing.
    if (HARMLESS_TWICE.has(body.kind)) expect(again.agent, 'a duplicate changes nothing').toEqual(before);
    else expect(again.agent, 'a duplicate changes nothing').toBe(before);
    expect(again.effects).toEqual([]);
  }

  private stale({ body }: Extract<Happening, { kind: 'stale' }>): void {
    const { agentId, incarnation } = this.bench.agent.hard;
    for (const wrong of [incarnation - 1, incarnation + 1]) {
      const signal = { agentId, incarnation: wrong, ...body };
      const before = this.bench.agent;
      const after = this.bench.transition(
        before,
        this.bench.inputOf({ kind: 'signal', origin: 'holter', signal }),
      );
      expect(after.agent, 'a stale incarnation changes nothing').toBe(before);
      expect(after.effects).toEqual([]);
      expect(after.events.map(({ type }) => type)).toEqual(['SIGNAL_REJECTED']);
    }
  }

  private feedBack(ms: number): void {
    const { bench } = this;
    const now = bench.at;
    const latest = bench.agent.hard.at;
    bench.at = instant(Math.max(0, now - ms));
    this.feed({ kind: 'tick' });
    expect(bench.agent.hard.at, 'time never goes back').toBeGreaterThanOrEqual(latest);
    bench.at = now;
  }

  private register(isOrdered: boolean, instanceId: string): void {
    const { bench } = this;
    const { hard } = bench.agent;
    const spawnKey = isOrdered && hard.spawnKey !== undefined ? { spawnKey: hard.spawnKey } : {};
    if (!bench.register({ instanceId, ...spawnKey }))
      expect(hard.end, 'only the living are in the way').toBeUndefined();
  }

  private feed(body: InputBody): void {
    const { bench } = this;
    const before = bench.agent;
    const input = bench.inputOf(body);
    const twin = bench.transition(JSON.parse(JSON.stringify(before)), JSON.parse(JSON.stringify(input)));
    const after = bench.feed(body);
    expect(JSON.stringify(twin), 'the same input gives the same turn, also after a store').toBe(
      JSON.stringify(after),
    );
    expect(JSON.parse(JSON.stringify(after.agent)), 'the record is plain JSON').toEqual(after.agent);
    this.check(before.hard.health, after);
    if (body.kind === 'claim' && after.claim === 'proceed')
      expect(openLives(after.agent.hard), 'what may proceed is still wanted').toContain(body.effect.livesBy);
    if (body.kind === 'tick')
      expect(after.wakeAt, 'a tick leaves no deadline behind').toBeGreaterThan(bench.agent.hard.at);
    for (const beat of BEATS) this.checkShortWay(beat);
  }

  /** A beat on the short path gives the same result as on the full one, except for the time of the judgement. */
  private checkShortWay(beat: SignalBody): void {
    const { agent, policy } = this.bench;
    const { agentId, incarnation } = agent.hard;
    const signal = { agentId, incarnation, ...beat };
    const input = this.bench.inputOf({ kind: 'signal', origin: 'agent', signal });
    const short = applyInput(agent, input, policy);
    // A finding due to time is made by the tick at its deadline, not by an earlier beat.
    const isDue = agent.hard.wakeAt <= input.at;
    this.checkOutline(input, isShortWay(agent, short) ? short : null);
    if (!isShortWay(agent, short) || isDue) return;
    shortWays += 1;
    const at = short.agent.soft.beatAt;
    const long = foldFully(agent, at, input, policy);
    const { hard, soft } = plain(long.agent);
    const { at: _at, wakeAt: _wakeAt, ...facts } = plain(agent.hard);
    expect(hard, 'the short way of a beat is the long way').toMatchObject(facts);
    expect(Object.keys(hard).sort()).toEqual(Object.keys(plain(agent.hard)).sort());
    expect(soft).toEqual(short.agent.soft);
    expect([long.events, long.effects, long.asks, long.over]).toEqual([short.events, [], [], []]);
    expect(long.wakeAt, 'the short way never looks again later').toBeGreaterThanOrEqual(short.wakeAt);
  }

  /** On the outline of a record, a beat takes the short path exactly where it does on the record, to the same end. */
  private checkOutline(input: Input, short: Applied | null): void {
    const outline = outlineOf(this.bench.agent);
    const step = outline && applyInput(outline, input, this.bench.policy);
    const onOutline = step && isShortWay(outline, step) ? [step.agent.soft, step.events] : null;
    expect(onOutline).toEqual(short && [short.agent.soft, short.events]);
  }

  private check(healthBefore: string, after: Transition): void {
    const { hard } = after.agent;
    expect(hard.wakeAt).toBe(after.wakeAt);
    if (healthBefore === 'TERMINATED')
      expect(hard.health, 'the end is left only by a new start').toBe('TERMINATED');
    const acknowledged = hard.incident?.acknowledged && hard.incident;
    for (const effect of after.effects) {
      const ids = this.effects.map(({ id }) => id);
      expect(ids, 'one decision is one effect').not.toContain(effect.id);
      this.effects.push(effect);
      expect(openLives(after.agent.hard), 'it lives by something that is open').toContain(effect.livesBy);
      if (effect.kind === 'spawn') expect(hard.end, 'no successor before a proven death').toBeDefined();
      if (effect.kind === 'notify' && acknowledged)
        expect(effect.incidentId, 'who has acknowledged is not told again').not.toBe(acknowledged.id);
      if (this.mode !== 'act' && (effect.kind === 'terminate' || effect.kind === 'spawn'))
        expect(this.isOrderedToAct, `${effect.kind} in mode ${this.mode}`).toBe(true);
    }
    if (!hard.incident) return;
    const { id, step, attempt } = hard.incident;
    const height = LADDER.indexOf(step) * 1000 + attempt;
    expect(height, 'the ladder only goes up').toBeGreaterThanOrEqual(this.taken.get(id) ?? 0);
    this.taken.set(id, height);
  }

  /** Time alone must not keep an agent busy: it is woken a few times at most, then never again. */
  rest(): void {
    const { bench } = this;
    const from = bench.at;
    for (let wakes = 0; wakes < 60; wakes++) {
      if (bench.agent.hard.wakeAt === NEVER) return;
      bench.at = instant(Math.max(bench.at, bench.agent.hard.wakeAt));
      this.feed({ kind: 'tick' });
    }
    expect(bench.at - from, '60 wakes take their time').toBeGreaterThan(60_000);
  }
}

/** The decision that the word stands for in the state that the agent is in; null if it is for the other state. */
function decisionOf(word: keyof ReturnType<typeof decisionsView>, { hard: { end } }: Agent) {
  switch (word) {
    case 'wrong':
      return end ? null : { decision: 'dismiss' as const };
    case 'leave_down':
      return end ? { decision: 'dismiss' as const } : null;
    case 'allow_more_time':
      return { decision: word, forMs: seconds(60) };
    default:
      return { decision: word };
  }
}

/** As read from a store or a request: fast-check's records have no prototype. */
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value));

/** Without the detectors' memory, which has its own bound. */
const sizeOf = ({ soft, hard: { trail: _trail, ...hard } }: Agent): number =>
  JSON.stringify({ soft, hard }).length;

let largest = 0;

describe('a random life', () => {
  test('keeps every invariant of core, whatever happens', () => {
    fc.assert(
      fc.property(registration, rawPolicy, happenings, (fields, raw, whatHappens) => {
        const life = new Life(plain(fields), raw);
        for (const what of plain(whatHappens)) {
          life.live(what);
          largest = Math.max(largest, sizeOf(life.bench.agent));
        }
        life.rest();
      }),
      {
        numRuns: 150,
        examples: [
          // A letter is nearly late when a tool begins, which stops its time: nothing to be woken for.
          [
            { role: 'active-development', mode: 'observe', promises: {}, can: [] },
            {},
            [
              { kind: 'signal', body: { kind: 'message-delivered', messageId: 'a', priority: 'high' } },
              { kind: 'wait', ms: 299_400 },
              { kind: 'signal', body: { kind: 'call-begun', callId: 'a', tool: 'a' }, id: 'a' },
            ],
          ],
          // The answer to an inquiry, sent twice.
          [
            { role: 'active-development', mode: 'observe', promises: { process: true }, can: [] },
            {},
            [
              { kind: 'wait', ms: 901_000 },
              { kind: 'signal', body: { kind: 'pong' }, id: 'a' },
            ],
          ],
        ],
      },
    );
  }, 60_000);

  test('gives the same result on the short path of a beat as on the full one', () => {
    shortWays = 0;
    const calm: fc.Arbitrary<Happening> = fc.oneof(
      fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 50_000 }) }),
      fc.record({ kind: fc.constant('stall' as const), ms: fc.integer({ min: 2_100, max: 30_000 }) }),
      fc.record({ kind: fc.constant('signal' as const), body: fc.constantFrom(...BEATS, ...DOINGS) }),
    );
    fc.assert(
      fc.property(registration, fc.array(calm, { minLength: 5, maxLength: 40 }), (fields, whatHappens) => {
        const life = new Life({ ...plain(fields), mode: 'act' }, {});
        life.live({ kind: 'signal', body: { kind: 'heartbeat' } });
        for (const what of plain(whatHappens)) life.live(what);
      }),
      { numRuns: 90 },
    );
    expect(shortWays).toBeGreaterThan(500);
  }, 60_000);

  test('is offered a decision if and only if core accepts it', () => {
    const offers = { open: 0, closed: 0 };
    fc.assert(
      fc.property(
        registration,
        rawPolicy,
        happenings,
        fc.boolean(),
        (fields, raw, whatHappens, isStarterGone) => {
          const life = new Life(plain(fields), raw);
          for (const what of plain(whatHappens)) life.live(what);
          const { agent, policy, at } = life.bench;
          const view = decisionsView(agent, policy, at, isStarterGone);
          for (const [word, why] of Object.entries(view)) {
            const decision = decisionOf(word as keyof typeof view, agent);
            if (decision === null) {
              expect(why, `${word} is not for it`).not.toBeNull();
              continue;
            }
            const given = { by: 'olga', reason: 'because', ...(isStarterGone && { isStarterGone }) };
            const input = life.bench.inputOf({ kind: 'decision', decision: { ...given, ...decision } });
            const after = life.bench.transition(agent, input);
            expect(why, word).toBe(after.rejection?.because ?? null);
            expect(after.events.some(({ type }) => type === 'DECISION_MADE')).toBe(why === null);
            offers[why === null ? 'open' : 'closed'] += 1;
          }
        },
      ),
      { numRuns: 80 },
    );
    expect(Math.min(offers.open, offers.closed)).toBeGreaterThan(100);
  }, 60_000);

  test('keeps its record small', () => {
    // Findings with their evidence, tasks and breakers, all at their limits; a record in use has a quarter of it.
    expect(largest).toBeLessThanOrEqual(6 * 1024);
  });

  test('an agent that only beats stays below 1 KB', () => {
    const bench = new Bench({ agentId: 'worker-17.project-x', promises: { beatEveryMs: seconds(60) } });
    bench.at = instant(1_700_000_000_000);
    for (let beat = 0; beat < 100; beat++) {
      bench.at = instant(bench.at + 60_000);
      bench.signal({ kind: 'heartbeat', phase: `step ${beat}`, tokenCount: beat * 1000, errorCount: 2 });
    }
    expect(JSON.stringify(bench.agent).length).toBeLessThanOrEqual(1024);
  });

  test.each<[string, (bench: Bench) => void]>([
    ['a reason to stop', (bench) => bench.signal({ kind: 'stopped', reason: long })],
    ['a blocker', (bench) => bench.signal({ kind: 'blocker', text: long })],
    ['a phase', (bench) => bench.signal({ kind: 'heartbeat', phase: long })],
    ['an error', (bench) => bench.signal({ kind: 'error', message: long })],
    [
      'a decision',
      (bench) =>
        bench.feed({
          kind: 'decision',
          decision: { decision: 'allow_more_time', forMs: seconds(60), by: 'olga', reason: long },
        }),
    ],
  ])('%s may be long; the record is not', (_what, say) => {
    const bench = new Bench();
    say(bench);
    expect(JSON.stringify(bench.agent).length).toBeLessThanOrEqual(2 * 1024);
  });
});

const long = 'x'.repeat(60_000);
