import type { HolterEvent } from '@holter/core';
import { openMemory, type Store, type StoredEffect } from '@holter/server';
import { type CrashChoice, CrashPlan } from './crash-plan.ts';
import { CrashWorld, NAMES, type Truth } from './crash-world.ts';

export type CrashRun = {
  /** The number of each await at which Holter crashed, and what was called there. */
  readonly crashes: readonly string[];
  /** Awaits that the run had in all. */
  readonly moments: number;
  readonly complaints: readonly string[];
  readonly truth: Truth;
  readonly events: readonly HolterEvent[];
};

const SECONDS = 150;
/** Each crash after the first may delay the end by this much: its server has to be missed, and its claims have to expire. */
const SECONDS_PER_CRASH = 10;

/**
 * One run of the small world with a crash at each chosen await, and what an independent look at the truth, the
 * events and the outbox reports afterwards (invariant 4).
 */
export async function crashRun({
  store = openMemory(),
  isAlone = true,
  ...choice
}: CrashChoice & { readonly store?: Store; readonly isAlone?: boolean } = {}): Promise<CrashRun> {
  const crashes: string[] = [];
  const plan = new CrashPlan(choice, (where) => {
    crashes.push(where);
    world.crash();
  });
  const world: CrashWorld = new CrashWorld(store, plan, isAlone);
  await world.boot();
  for (const name of NAMES) world.start(name, `${name}-1`);
  for (let second = 1; second <= SECONDS; second++) {
    await play(world, second);
    await world.second();
  }
  let end = await lookAt(world, store);
  const last = SECONDS + SECONDS_PER_CRASH * Math.max(0, crashes.length - 1);
  for (let second = SECONDS + 1; end.complaints.length > 0 && second <= last; second++) {
    await play(world, second);
    await world.second();
    end = await lookAt(world, store);
  }
  return { crashes, moments: plan.count, truth: world.truth, ...end };
}

async function lookAt(world: CrashWorld, store: Store): Promise<Pick<CrashRun, 'complaints' | 'events'>> {
  const events = await world.events();
  const effects = await store.listEffects({ limit: 1_000 });
  return { complaints: complaintsAbout(world.truth, events, effects), events };
}

async function play(world: CrashWorld, second: number): Promise<void> {
  await world.beat('eve');
  if (second <= 20) await world.beat('bob');
  if (second % 7 === 0 && second < 100) world.report('dora');
  // The loop goes on until the instance that loops is gone.
  if (second > 5 && second % 3 === 0 && world.truth.running.get('ada') === 'ada-1') await world.loop('ada');
  if (second === 30) world.die('cal', 'SIGSEGV');
}

function complaintsAbout(
  truth: Truth,
  events: readonly HolterEvent[],
  effects: readonly StoredEffect[],
): readonly string[] {
  const complaints: string[] = [];
  const blockers = events.flatMap((event) => (event.type === 'BLOCKER_REPORTED' ? [event.payload.text] : []));
  for (const id of truth.acknowledged) {
    const count = blockers.filter((text) => text === id).length;
    if (count !== 1) complaints.push(`report ${id} was acknowledged and is on record ${count} times`);
  }
  if (truth.acknowledged.size < 10) complaints.push(`only ${truth.acknowledged.size} reports came through`);

  const about = (agentId: string, type: HolterEvent['type']): number =>
    events.filter(
      (event) => event.type === type && 'agentId' in event.payload && event.payload.agentId === agentId,
    ).length;
  if (about('eve', 'LIVENESS_CHANGED') + about('eve', 'INCIDENT_OPENED') > 0)
    complaints.push('eve works, and was accused');
  if (about('bob', 'ESCALATION_TRIGGERED') !== 1)
    complaints.push(`bob fell silent; escalated ${about('bob', 'ESCALATION_TRIGGERED')} times`);
  if (about('ada', 'AGENT_TERMINATED') !== 1)
    complaints.push(`ada looped; terminated ${about('ada', 'AGENT_TERMINATED')} times`);
  for (const name of ['ada', 'cal']) {
    if (!truth.running.get(name)) complaints.push(`${name} was not brought back`);
    const starts = truth.starts.filter((key) => key.startsWith(`${name}/`)).length;
    if (starts !== 1) complaints.push(`${name} was started ${starts} times`);
  }
  if (truth.kills.length !== 1)
    complaints.push(`${truth.kills.length} processes were killed: ${truth.kills.join(', ')}`);

  const decided = events.filter(
    ({ type }) => type === 'NUDGE_SENT' || type === 'ESCALATION_TRIGGERED',
  ).length;
  const told = effects.filter(
    ({ effect }) => effect.kind === 'nudge' || (effect.kind === 'notify' && effect.id.includes('/escalate/')),
  );
  if (told.length !== decided) complaints.push(`${decided} decisions, ${told.length} effects`);
  for (const { effect, status } of effects) {
    if (status !== 'done') complaints.push(`${effect.id} is ${status} at the end`);
  }
  return complaints;
}
