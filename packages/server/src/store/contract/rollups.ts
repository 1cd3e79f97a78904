import type { HealthState, HolterEvent, Instant } from '@holter/core';
import { instant } from '@holter/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Rollup } from '../store.ts';
import type { OpenStore } from './kit.ts';
import { agentOf, at, beat, commitOf, committed, healthChanged, nudgeSent, softOf } from './kit.ts';
import { withStore } from './with-store.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const STATES: readonly HealthState[] = ['HEALTHY', 'DEGRADED', 'STUCK', 'FAILING', 'TERMINATED'];

export function rollupsContract(open: OpenStore): void {
  describe('roll-ups', () => {
    const current = withStore(open);

    it('count beats, nudges, escalations, terminations and recoveries per hour', async () => {
      const { store } = current;
      const event = (body: object, moment: number) =>
        ({ at: at(moment), incarnation: 1, payload: { agentId: 'ada' }, ...body }) as HolterEvent;
      const events = [
        beat('ada', at(0)),
        beat('ada', at(HOUR - 1)),
        beat('ada', at(HOUR)),
        nudgeSent('ada', at(5)),
        event({ type: 'ESCALATION_TRIGGERED' }, 6),
        event({ type: 'AGENT_TERMINATED' }, 7),
        event({ type: 'RECOVERY_INITIATED' }, 8),
        event({ type: 'RECOVERY_FAILED' }, 9),
      ];
      await committed(store, commitOf(agentOf('ada'), 0, { events }));
      await store.flushSoft([
        { agentId: 'ada', incarnation: 1, soft: softOf({ beatAt: at(HOUR + 9) }), beats: 40 },
      ]);
      await store.flushSoft([{ agentId: 'ada', incarnation: 1, soft: softOf({ beatAt: at(HOUR + 10) }) }]);
      const zero = { nudges: 0, escalations: 0, terminations: 0, recoveries: 0 };
      expect(await store.rollups({ from: at(0), to: at(HOUR + MINUTE) })).toEqual([
        {
          hour: at(0),
          agentId: 'ada',
          beats: 2,
          nudges: 1,
          escalations: 1,
          terminations: 1,
          recoveries: 1,
          stateMs: { HEALTHY: HOUR },
        },
        { hour: at(HOUR), agentId: 'ada', beats: 41, ...zero, stateMs: { HEALTHY: MINUTE } },
      ]);
    });

    it('ignore a commit that was refused', async () => {
      const { store } = current;
      await committed(store, commitOf(agentOf('ada'), 0));
      await store.commit([commitOf(agentOf('ada'), 0, { events: [beat('ada', at(1))] })]);
      expect(await store.rollups({ from: at(0), to: at(1) })).toMatchObject([{ beats: 0 }]);
    });

    it('split the time in a state by hour, with the current state up to the end of the query', async () => {
      const { store } = current;
      await committed(store, commitOf(agentOf('ada'), 0));
      await committed(
        store,
        commitOf(agentOf('ada', { health: 'STUCK', healthSince: at(2 * HOUR + 5) }), 1, {
          events: [healthChanged('ada', at(2 * HOUR + 5), 'HEALTHY', 'STUCK')],
        }),
      );
      const query = { from: at(HOUR + 7), to: at(3 * HOUR + 4), agentId: 'ada' };
      expect((await store.rollups(query)).map(({ hour, stateMs }) => [hour, stateMs])).toEqual([
        [at(HOUR), { HEALTHY: HOUR }],
        [at(2 * HOUR), { HEALTHY: 5, STUCK: HOUR - 5 }],
        [at(3 * HOUR), { STUCK: 4 }],
      ]);
    });

    it('agree with a count made from the whole history', async () => {
      const change = fc.record({
        agentId: fc.constantFrom('ada', 'bob'),
        to: fc.constantFrom(...STATES),
        waitMs: fc.integer({ min: 0, max: 3 * HOUR }),
      });
      let runs = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 12 }), async (commits) => {
          runs += 1;
          const history = new History(`${runs}`);
          for (const changes of commits) {
            for (const agentId of history.agentIds) {
              const own = changes.filter((wanted) => agentId.startsWith(wanted.agentId));
              await committed(current.store, history.commit(agentId, own));
            }
          }
          const to = instant(history.now + 1);
          const stored = await current.store.rollups({ from: at(0), to });
          const own = stored.filter(({ agentId }) => history.agentIds.includes(agentId));
          expect(own.map((row) => [row.hour, row.agentId, row.stateMs])).toEqual(history.naive(to));
          const sums: Record<string, number> = {};
          for (const { stateMs } of stored)
            for (const [state, ms] of Object.entries(stateMs)) sums[state] = (sums[state] ?? 0) + ms;
          expect(await current.store.stateTime({ from: at(0), to })).toEqual(sums);
        }),
        { numRuns: 15 },
      );
    });
  });
}

/** Reference implementation: remembers every state with its start, and adds up the intervals. */
class History {
  readonly agentIds: readonly string[];
  now: Instant = at(0);
  private readonly versions = new Map<string, number>();
  private readonly states = new Map<string, { readonly state: HealthState; readonly since: Instant }[]>();

  constructor(run: string) {
    this.agentIds = [`ada-${run}`, `bob-${run}`];
  }

  commit(agentId: string, changes: readonly { readonly to: HealthState; readonly waitMs: number }[]) {
    const states = this.states.get(agentId) ?? [{ state: 'HEALTHY' as HealthState, since: this.now }];
    this.states.set(agentId, states);
    const events: HolterEvent[] = [];
    for (const { to, waitMs } of changes) {
      this.now = instant(this.now + waitMs);
      const from = states.at(-1)?.state ?? 'HEALTHY';
      // The first commit of an agent has a state but no transition into it.
      if (this.versions.has(agentId)) {
        events.push(healthChanged(agentId, this.now, from, to));
        states.push({ state: to, since: this.now });
      }
    }
    const version = this.versions.get(agentId) ?? 0;
    this.versions.set(agentId, version + 1);
    const last = states.at(-1) ?? { state: 'HEALTHY', since: this.now };
    return commitOf(agentOf(agentId, { health: last.state, healthSince: last.since }), version, { events });
  }

  naive(to: Instant): readonly (readonly [Instant, string, Rollup['stateMs']])[] {
    const rows: (readonly [Instant, string, Rollup['stateMs']])[] = [];
    for (let hour = at(0); hour < to; hour = instant(hour + HOUR)) {
      for (const [agentId, states] of this.states) {
        const stateMs: Record<string, number> = {};
        states.forEach(({ state, since }, i) => {
          const until = Math.min(states[i + 1]?.since ?? to, hour + HOUR, to);
          const ms = until - Math.max(since, hour);
          if (ms > 0 && state !== 'TERMINATED') stateMs[state] = (stateMs[state] ?? 0) + ms;
        });
        if (Object.keys(stateMs).length > 0) rows.push([hour, agentId, stateMs]);
      }
    }
    return rows;
  }
}
