import {
  type AlertBook,
  type AlertNotice,
  type AlertTopic,
  alertTimes,
  type Condition,
  emptyBook,
  instant,
  stepAlerts,
} from '@holter/core';
import { conditionsAt } from '@holter/server';
import { expect, it } from 'vitest';
import { policiesOf } from '../base/policies.ts';
import { DAY_START, HOUR, MINUTE } from '../base/scenario.ts';
import { FleetDay, nameOf, STEP_MS, type Trouble, troublesOf } from './fleet-day.ts';

const AGENTS = 1_000;
const policies = policiesOf({ channels: { ops: { type: 'command', argv: ['true'] } } });

type Told = { readonly at: number; readonly notice: AlertNotice };

/** Looks at the fleet every five seconds, as the server does. */
function watchDay(troubles: readonly Trouble[]): { told: Told[]; stale: string[]; begun: number } {
  const fleet = new FleetDay(AGENTS, troubles, policies);
  const told: Told[] = [];
  const stale: string[] = [];
  let book: AlertBook = emptyBook;
  let before = new Set<string>();
  let begun = 0;
  for (let at = DAY_START; at < DAY_START + 24 * HOUR; at += STEP_MS) {
    fleet.step(at);
    const agents = new Map(
      fleet.records
        .filter(({ incident, holds }) => incident !== undefined || holds.length > 0)
        .map((hard) => [hard.agentId, hard]),
    );
    const state = { channels: {}, windows: [] };
    const well = { store: 'ok' as const, storeReason: null, lastTickAt: null };
    const health = { ...well, graceShare: 0, lateServers: [], estop: null };
    const world = {
      agents,
      brakes: fleet.brakes,
      health,
      ping: null,
      hindrances: [],
      judge: null,
      policies,
      state,
    };
    const conditions = conditionsAt(world, instant(at));
    const now = new Set(conditions.map(({ key }) => key));
    for (const key of now) if (!before.has(key)) begun += 1;
    before = now;
    const next = stepAlerts(book, conditions, instant(at), alertTimes);
    book = next.book;
    for (const notice of next.notices) {
      told.push({ at, notice });
      stale.push(...staleIn(notice, conditions));
    }
  }
  return { told, stale, begun };
}

/** Whom a notice tells about although nothing is the matter, or whose end it tells although something is. */
function staleIn(
  { action, topic, members }: AlertNotice,
  conditions: readonly Condition[],
): readonly string[] {
  const isOn = action !== 'resolve';
  return members
    .filter(
      ({ agentId }) => conditions.some((each) => each.topic === topic && each.agentId === agentId) !== isOn,
    )
    .map(({ agentId }) => `${action} ${topic} ${agentId}`);
}

const TOPICS = {
  error: 'agent_failed',
  prompt: 'waiting_for_person',
  silence: 'agent_failed',
} as const satisfies Record<Trouble['kind'], AlertTopic>;

/** Whether somebody was told of it, by its name or with its group, while it lasted. */
const isTold = (told: readonly Told[], { kind, slot, from, to }: Trouble): boolean =>
  told.some(
    ({ at, notice }) =>
      notice.action === 'trigger' &&
      notice.topic === TOPICS[kind] &&
      at >= from &&
      at <= to &&
      notice.members.some(
        ({ agentId }) => agentId === nameOf(slot) || (agentId === null && kind === 'silence'),
      ),
  );

it('a day of 1,000 agents with two mass failures is fewer than 40 notices, none missing, none stale', {
  timeout: 120_000,
}, () => {
  const troubles = troublesOf(AGENTS, 1);
  const { told, stale, begun } = watchDay(troubles);
  const lasting = troubles.filter(({ from, to }) => to - from > 15 * MINUTE);
  const counts: Record<string, number> = {};
  for (const { notice } of told) {
    const what = `${notice.action} ${notice.topic}`;
    counts[what] = (counts[what] ?? 0) + 1;
  }
  console.log(
    `${AGENTS} agents, ${troubles.length} troubles (${lasting.length} lasting), ${begun} conditions, ${told.length} notices`,
    counts,
  );
  expect(stale).toEqual([]);
  expect(lasting.filter((trouble) => !isTold(told, trouble))).toEqual([]);
  expect(
    told.filter(({ notice }) => notice.members[0]?.agentId === null && notice.action === 'trigger'),
  ).toHaveLength(2);
  expect(told.length).toBeLessThan(40);
});
