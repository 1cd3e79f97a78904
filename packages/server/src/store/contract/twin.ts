import { emptyFleetGuard, type HealthState, type HolterEvent, type Instant } from '@holter/core';
import fc from 'fast-check';
import { expect } from 'vitest';
import { openMemory } from '../memory/index.ts';
import type { Store } from '../store.ts';
import {
  agentOf,
  at,
  beat,
  commitOf,
  healthChanged,
  incidentOf,
  nudge,
  putLetter,
  softOf,
  taskChanged,
} from './kit.ts';

type Move = { readonly say: string; readonly on: (store: Store) => Promise<unknown> };

const HOUR = 3_600_000;
const agentIds = fc.constantFrom('ada', 'bob', 'cyd');
const moments = fc.integer({ min: 0, max: 4 * HOUR }).map(at);
const effectIds = fc.constantFrom('e1', 'e2', 'e3', 'e4');
const states = fc.constantFrom<HealthState>('HEALTHY', 'STUCK', 'FAILING', 'TERMINATED');
const executors = fc.constantFrom<string | null>(null, 'h1', 'h2');
const end = { how: 'crash', at: at(1), detail: 'signal 9' } as const;

const eventOf = (agentId: string, moment: Instant, kind: number): HolterEvent => {
  if (kind === 0) return beat(agentId, moment);
  if (kind === 1) return healthChanged(agentId, moment, 'HEALTHY', 'STUCK');
  return taskChanged(agentId, moment, `${kind}`);
};

const commit = fc
  .record({
    agentId: agentIds,
    incarnation: fc.integer({ min: 1, max: 3 }),
    wakeAt: moments,
    moment: moments,
    health: states,
    hasIncident: fc.boolean(),
    hasEnded: fc.boolean(),
    version: fc.nat({ max: 4 }),
    tokens: fc.nat({ max: 9 }),
    kinds: fc.array(fc.nat({ max: 4 }), { maxLength: 3 }),
    effects: fc.array(fc.tuple(effectIds, executors, fc.option(moments, { nil: undefined })), {
      maxLength: 2,
    }),
    isOver: fc.boolean(),
    fleetVersion: fc.option(fc.nat({ max: 2 })),
  })
  .map((x) =>
    commitOf(
      agentOf(
        x.agentId,
        {
          incarnation: x.incarnation,
          wakeAt: x.wakeAt,
          at: x.moment,
          health: x.health,
          healthSince: x.moment,
          ...(x.hasIncident && { incident: incidentOf(`i${x.version}`) }),
          ...(x.hasEnded && { end }),
        },
        { tokens: x.tokens },
      ),
      x.version,
      {
        events: x.kinds.map((kind) => eventOf(x.agentId, x.moment, kind)),
        effects: x.effects.map(([id, executor, until]) =>
          nudge(id, x.agentId, { executor, ...(until !== undefined && { until }) }),
        ),
        ...(x.isOver && { over: [`incident:${x.agentId}/1`] }),
        ...(x.fleetVersion !== null && {
          fleet: { fleet: emptyFleetGuard, expectedVersion: x.fleetVersion, version: x.fleetVersion + 1 },
        }),
      },
    ),
  );

const softEntry = fc
  .record({
    agentId: agentIds,
    incarnation: fc.integer({ min: 1, max: 3 }),
    tokens: fc.nat(99),
    beatAt: moments,
    wake: fc.option(fc.record({ version: fc.integer({ min: 1, max: 3 }), at: moments }), { nil: undefined }),
  })
  .map(({ agentId, incarnation, tokens, beatAt, wake }) => ({
    agentId,
    incarnation,
    soft: softOf({ tokens, beatAt }),
    beats: tokens % 3,
    ...(wake && { wake }),
  }));

const moves: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.array(commit, { maxLength: 3 }).map((commits) => move('commit', (s) => s.commit(commits))),
  },
  fc.array(softEntry, { maxLength: 4 }).map((entries) => move('flushSoft', (s) => s.flushSoft(entries))),
  fc
    .tuple(fc.array(executors, { maxLength: 2 }), moments, fc.integer({ min: 1, max: 3 }))
    .map(([names, moment, limit]) =>
      move('claim', (s) => s.claimEffects({ executors: names, at: moment, leaseMs: HOUR, limit })),
    ),
  fc
    .tuple(effectIds, moments, fc.boolean())
    .map(([id, moment, isDead]) =>
      move('settle', (s) =>
        s.settleEffect(id, { at: moment, outcome: 'done', detail: '', ...(isDead && { isDead }) }),
      ),
    ),
  fc
    .tuple(effectIds, moments, fc.option(fc.nat({ max: 3 }), { nil: undefined }))
    .map(([id, moment, tries]) => move('retry', (s) => s.retryEffect(id, moment, 'later', tries))),
  fc
    .tuple(
      fc.record({
        events: moments,
        checkpoints: moments,
        effects: moments,
        rollups: moments,
        tokens: moments,
        letters: moments,
        agents: moments,
      }),
      fc.integer({ min: 1, max: 4 }),
    )
    .map(([before, limit]) => move('prune', (s) => s.prune(before, limit))),
  fc
    .tuple(moments, fc.constantFrom(0, 1, HOUR), fc.integer({ min: 1, max: 3 }))
    .map(([moment, leaseMs, limit]) => move('claimDue', (s) => s.claimDue({ at: moment, leaseMs, limit }))),
  fc
    .tuple(effectIds, moments, moments, fc.option(fc.nat({ max: 3 }), { nil: undefined }))
    .map(([id, moment, againAt, tries]) =>
      move('offer', (s) =>
        s.offerEffect(id, { at: moment, againAt, detail: '', ...(tries !== undefined && { tries }) }),
      ),
    ),
  fc
    .tuple(moments, fc.constantFrom('w1', 'w2'), fc.string())
    .map(([moment, writer, body]) => move('strip', (s) => s.putStripPage({ at: moment, writer, body }))),
  fc
    .tuple(fc.uuid(), agentIds, agentIds, fc.constantFrom(null, 'c1', 'c2'), moments, fc.boolean())
    .map(([id, from, to, clientId, sentAt, isVerified]) =>
      move('letter', (s) => putLetter(s, id, { from, to, clientId, sentAt, isVerified }, { boxMax: 3 })),
    ),
  fc
    .tuple(agentIds, fc.constantFrom('delivered', 'read', 'acknowledged', 'archived'), moments)
    .map(([to, as, moment]) =>
      move('mark', async (s) => {
        const letters = await s.listLetters({ of: to, box: 'inbox', limit: 1 });
        const letterIds = letters.map(({ letterId }) => letterId);
        return s.markLetters({ to, letterIds, as, at: moment });
      }),
    ),
);

function move(say: string, on: Move['on']): Move {
  return { say, on };
}

/** All readable state. */
async function look(store: Store): Promise<unknown> {
  return {
    agents: await store.listAgents({ limit: 99 }),
    fleet: await store.loadFleet(),
    due: await store.claimDue({ at: at(2 * HOUR), leaseMs: 0, limit: 99 }),
    many: new Set(await store.loadMany(['ada', 'bob', 'cyd', 'nobody'])),
    wake: await store.nextWakeAt(),
    health: await store.countByHealth(),
    size: await store.groupSize('default'),
    effects: await store.listEffects({ limit: 99 }),
    offered: await store.listEffects({ isOffered: true, limit: 99 }),
    changes: await store.readEffectChanges({ after: 0, limit: 99 }),
    change: await store.lastEffectChange(),
    events: await store.readEvents({ after: 0, limit: 999 }),
    cursor: await store.lastCursor(),
    rollups: await store.rollups({ from: at(0), to: at(5 * HOUR) }),
    finals: await store.listFinalStates('ada', 9),
    strips: await store.stripPages(at(0), at(4 * HOUR)),
    letters: await store.listLetters({ of: 'ada', box: 'inbox', limit: 99 }),
    sent: await store.listLetters({ of: 'ada', box: 'sent', status: 'unacknowledged', limit: 99 }),
    unverified: await store.listLetters({ of: 'ada', box: 'inbox', isVerified: false, limit: 2 }),
    counts: await store.countLetters({ of: 'bob', box: 'inbox' }),
    verified: await store.countLetters({ of: 'bob', box: 'sent', isVerified: true }),
    unread: await store.countUnread(['ada', 'bob']),
    stateTime: await store.stateTime({ from: at(HOUR), to: at(3 * HOUR) }),
  };
}

/** The same random operations on a store and on the one in memory: the answers and all that can be read must agree. */
export async function expectTwins(fresh: () => Promise<Store>, sequences: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(moves, { minLength: 5, maxLength: 40 }), async (sequence) => {
      const store = await fresh();
      const memory = openMemory();
      for (const { say, on } of sequence) {
        expect(await on(store), say).toEqual(await on(memory));
      }
      expect(await look(store)).toEqual(await look(memory));
      expect(await store.check()).toEqual([]);
    }),
    { numRuns: sequences },
  );
}
