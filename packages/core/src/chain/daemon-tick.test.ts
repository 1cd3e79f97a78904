import { describe, expect, it } from 'vitest';
import { policiesOf, policyFor } from '../../test/kit.ts';
import { type Instant, instant, later, minutes } from '../base/time.ts';
import {
  type DaemonSight,
  type DaemonState,
  daemonDefaults,
  daemonTick,
  newDaemonState,
} from './daemon-tick.ts';
import type { LinkLook } from './server-look.ts';

const policy = policyFor(policiesOf(), 'chain', 'server', 'chain');
const settings = { ...daemonDefaults, policy };
const T0 = instant(1_000_000_000);

const look = (at: Instant, process: string, more: Partial<LinkLook> = {}): LinkLook => ({
  at,
  process,
  state: 'running',
  cpuMs: at,
  tick: at,
  ...more,
});

/** A town in which everything is well. */
function sightAt(at: Instant, more: Partial<DaemonSight> = {}): DaemonSight {
  return {
    at,
    isHeld: false,
    server: look(at, 'server'),
    boot: look(at, 'boot', { state: 'ended' }),
    isBootRunning: false,
    deacon: look(at, 'deacon'),
    triage: null,
    silence: null,
    members: [],
    lifecycle: [],
    ...more,
  };
}

/** Ticks every 3 min; `more` changes what is seen. */
function ticks(count: number, more: (n: number, at: Instant) => Partial<DaemonSight> = () => ({})) {
  let state: DaemonState = newDaemonState;
  const acts: string[] = [];
  const effects: string[] = [];
  const says: string[] = [];
  for (let n = 0; n < count; n++) {
    const at = later(T0, n * minutes(3));
    const seen = sightAt(at, more(n, at));
    const tick = daemonTick(state, seen, settings);
    state = tick.state;
    acts.push(...tick.acts.map((act) => `${n} ${act.kind}${'name' in act ? ` ${act.name}` : ''}`));
    says.push(...tick.says.map(({ name, what }) => `${n} ${name} ${what}`));
    for (const [name, step] of tick.steps)
      effects.push(...step.effects.map(({ kind }) => `${n} ${name} ${kind}`));
  }
  return { state, acts, effects, says };
}

describe('a tick of the daemon', () => {
  it('runs the triage and does nothing else while all is well', () => {
    expect(ticks(4)).toMatchObject({
      acts: ['0 triage', '1 triage', '2 triage', '3 triage'],
      effects: [],
      says: [],
    });
  });

  it('skips the triage while one runs', () => {
    expect(ticks(3, (n) => ({ isBootRunning: n === 1 })).acts).toEqual(['0 triage', '2 triage']);
  });

  it('acts in the order of the seed', () => {
    const members = (_n: number, at: Instant) => ({
      members: [
        ['agent:gt-api-witness', look(at, 'w', { state: 'gone' })],
        ['agent:gt-api-refinery', look(at, 'r', { state: 'gone' })],
        ['agent:gt-api-scout', look(at, 's', { state: 'unknown' })],
      ] as const,
    });
    expect(ticks(1, members).acts).toEqual([
      '0 triage',
      '0 start agent:gt-api-witness',
      '0 start agent:gt-api-refinery',
    ]);
  });

  it('starts a Deacon that is gone by its own look, without Boot', () => {
    const gone = (at: Instant) => ({ deacon: look(at, 'deacon', { state: 'gone', tick: null }) });
    expect(ticks(2, (n, at) => (n === 1 ? gone(at) : {})).effects).toEqual(['1 deacon spawn']);
  });

  it('restarts a Deacon on the word of Boot, and tells a person where Boot can not help', () => {
    const triaged = (action: 'RESTART' | 'ESCALATE') =>
      ticks(2, (n, at) => ({
        deacon: look(at, 'deacon', { tick: T0 }),
        ...(n === 1 && { triage: { action, reason: 'it is very stale' } }),
      })).effects;
    expect(triaged('RESTART')).toEqual(['1 deacon terminate']);
    expect(triaged('ESCALATE')).toEqual(['1 deacon notify', '1 deacon remind']);
  });

  it('wakes a very stale Deacon once and tells a person, while Boot does not look', () => {
    const seen = (n: number, at: Instant) => ({
      deacon: look(at, 'deacon', { tick: T0, cpuMs: null }),
      isBootRunning: true,
      ...(n > 0 && { silence: 'its heartbeat is 20 min old, and Boot has not looked for 20 min' }),
    });
    const { acts, effects } = ticks(3, seen);
    expect(acts).toEqual(['1 wake']);
    expect(effects).toEqual(expect.arrayContaining(['1 deacon notify']));
    expect(effects.filter((effect) => effect.endsWith('terminate'))).toEqual([]);
  });

  it('starts the first Deacon of a town without an incident, and only the first', () => {
    const gone = (_n: number, at: Instant) => ({
      deacon: look(at, '', { process: null, state: 'gone' as const }),
    });
    const { acts, effects } = ticks(2, gone);
    expect([acts, effects]).toEqual([['0 triage', '0 start deacon', '1 triage'], ['1 deacon spawn']]);
  });

  it('starts the successor of a Deacon that has handed over, without an incident', () => {
    const ended = (at: Instant) => ({ deacon: look(at, 'deacon', { state: 'ended', tick: null }) });
    const { acts, effects, state } = ticks(2, (n, at) => (n === 1 ? ended(at) : {}));
    expect([acts, effects]).toEqual([['0 triage', '1 triage', '1 start deacon'], []]);
    expect(state.links.deacon.budget.crashedAt).toEqual([]);
  });

  it('starts a Deacon that has ended at its usage limit when that has reset, without an incident', () => {
    const limited = (at: Instant) =>
      look(at, 'deacon', { state: 'ended', tick: null, notBefore: later(T0, minutes(7)) });
    const { acts, effects, state } = ticks(4, (n, at) => (n > 0 ? { deacon: limited(at) } : {}));
    expect(acts.filter((act) => act.includes('start'))).toEqual(['3 start deacon']);
    expect([effects, state.links.deacon.budget.crashedAt]).toEqual([[], []]);
  });

  it('does not act on the word of Boot about a Deacon that has written a heartbeat since', () => {
    const triage = { action: 'RESTART' as const, reason: 'it is very stale' };
    const still = { tick: T0, cpuMs: null };
    const seen = (n: number, at: Instant) => ({
      deacon: look(at, 'deacon', n < 2 ? still : { cpuMs: null }),
      ...(n === 2 && { triage }),
    });
    expect(ticks(4, seen).effects).toEqual([]);
    const torn = (n: number, at: Instant) => ({
      deacon: look(at, 'deacon', n < 2 ? still : { tick: null, cpuMs: null }),
      ...(n === 2 && { triage }),
    });
    expect(ticks(4, torn).effects).toEqual([]);
  });

  it('does not restart a Deacon whose process has begun to work since Boot has looked', () => {
    const seen = (n: number, at: Instant) => ({
      deacon: look(at, 'deacon', { tick: T0, cpuMs: null, ...(n === 2 && { doubt: 'it works again' }) }),
      ...(n === 2 && { triage: { action: 'RESTART' as const, reason: 'it is very stale' } }),
    });
    expect(ticks(4, seen).effects).toEqual([]);
  });

  it('takes the word of Boot for one tick: without it a termination is not tried again', () => {
    const still = (at: Instant) => look(at, 'deacon', { tick: T0, cpuMs: null });
    const told = (n: number, at: Instant) => ({
      deacon: still(at),
      ...(n === 1 && { triage: { action: 'RESTART' as const, reason: 'it is very stale' } }),
    });
    const { state } = ticks(3, told);
    expect(state.links.deacon.agent?.hard.points.map(({ kind }) => kind)).toEqual(['missed-heartbeats']);
  });

  it('leaves a Deacon alone of which no look succeeded, whatever Boot has said', () => {
    const unknown = (_n: number, at: Instant) => ({
      deacon: look(at, 'deacon', { state: 'unknown', tick: null, cpuMs: null }),
      triage: { action: 'RESTART' as const, reason: 'it is very stale' },
    });
    expect(ticks(5, unknown).effects).toEqual([]);
  });

  it('runs a triage that has crashed again within its budget only', () => {
    const crashed = (_n: number, at: Instant) => ({ boot: look(at, 'boot', { state: 'gone' as const }) });
    const { acts, effects } = ticks(2, (n, at) => (n === 0 ? { boot: look(at, 'boot') } : crashed(n, at)));
    expect([acts, effects]).toEqual([['0 triage'], ['1 boot spawn']]);
  });

  it('starts nothing while a person has stopped it', () => {
    const seen = (_n: number, at: Instant) => ({
      isHeld: true,
      isBootRunning: true,
      members: [['agent:gt-api-witness', look(at, 'w', { state: 'gone' as const })] as const],
      deacon: look(at, 'deacon', { state: 'gone' as const }),
    });
    expect(ticks(5, seen)).toMatchObject({ acts: [], effects: [] });
  });

  it('says when it did not tick itself', () => {
    const { state } = ticks(1);
    const late = later(T0, minutes(30));
    const tick = daemonTick(state, sightAt(late), settings);
    expect(tick.says).toEqual([{ name: 'daemon', what: 'stalled' }]);
    expect(tick.state.stalls).toHaveLength(1);
  });

  it('still runs the triage while a person has stopped it: it looks, and does not act', () => {
    expect(ticks(2, () => ({ isHeld: true })).acts).toEqual(['0 triage', '1 triage']);
  });
});

describe('an agent of the town', () => {
  const NAME = 'agent:w';
  const member = (at: Instant, process: string, state: LinkLook['state'] = 'running') => ({
    members: [[NAME, look(at, process, { state, cpuMs: null, tick: null })] as const],
  });
  const asking = (
    at: Instant,
    action: 'restart' | 'cycle' | 'shutdown' | 'resume',
    process: string | null,
  ) => ({
    lifecycle: [{ action, name: NAME, process, by: 'ada', reason: 'because', at } as const],
  });

  it('is started again by an incident when it is gone', () => {
    const { effects, state } = ticks(3, (n, at) => member(at, 'w1', n < 2 ? 'running' : 'gone'));
    expect(effects).toEqual(['2 agent:w spawn']);
    expect(state.links[NAME]?.agent?.hard.incident).toMatchObject({ id: 'agent:w/1', cause: 'process-gone' });
  });

  it('that was left out of the file is no longer looked after', () => {
    expect(ticks(3, (n, at) => (n < 2 ? member(at, 'w1') : {})).effects).toEqual([]);
  });

  it('is ended and started again when somebody asks for it, exactly the run that was meant', () => {
    const asked = (process: string) =>
      ticks(2, (n, at) => ({ ...member(at, 'w1'), ...(n === 1 && asking(at, 'restart', process)) }));
    expect(asked('w1').effects).toEqual(['1 agent:w terminate']);
    expect(asked('w1').state.links[NAME]?.agent?.hard.incident).toMatchObject({
      cause: 'operator',
      order: { by: 'ada', afterwards: 'recover' },
    });
    expect(asked('w0').effects).toEqual([]);
    const cycled = ticks(2, (n, at) => ({ ...member(at, 'w1'), ...(n === 1 && asking(at, 'cycle', 'w1')) }));
    expect(cycled.acts).toContain('1 hand-over');
  });

  it('is not touched for a request of more than 10 minutes ago, or of the future', () => {
    const late = (ms: number) =>
      ticks(6, (n, at) => ({
        ...member(at, 'w1'),
        ...(n === 5 && asking(later(at, ms), 'restart', 'w1')),
      })).effects;
    expect([late(-minutes(11)), late(minutes(1)), late(-minutes(9))]).toEqual([
      [],
      [],
      ['5 agent:w terminate'],
    ]);
  });

  it('that was shut down stays down until it is resumed', () => {
    const { acts, effects, state } = ticks(8, (n, at) => ({
      ...member(at, 'w1', n < 2 ? 'running' : 'gone'),
      ...(n === 1 && asking(at, 'shutdown', 'w1')),
      ...(n === 6 && asking(at, 'resume', null)),
    }));
    expect(effects.filter((effect) => effect.includes(NAME))).toEqual([
      '1 agent:w terminate',
      '7 agent:w spawn',
    ]);
    expect(acts.filter((act) => act.includes(NAME))).toEqual(['6 start agent:w']);
    expect(state.down).toEqual({});
  });

  it('that crashes and is shut down before it was started again stays down, without an incident', () => {
    const { effects, state } = ticks(6, (n, at) => ({
      ...member(at, 'w1', n < 2 ? 'running' : 'gone'),
      isHeld: n < 3,
      ...(n === 2 && asking(at, 'shutdown', null)),
    }));
    expect(effects.filter((effect) => effect.endsWith('spawn'))).toEqual([]);
    expect(state.links[NAME]?.agent?.hard.incident).toBeUndefined();
  });

  it('that would be started is not, if it is shut down at the same tick', () => {
    const { acts } = ticks(2, (n, at) => ({
      ...member(at, 'w1', n === 0 ? 'running' : 'ended'),
      ...(n === 1 && asking(at, 'shutdown', null)),
    }));
    expect(acts).toEqual(['0 triage', '1 triage']);
  });

  it('that was shut down is looked after again when somebody has started it', () => {
    const { state } = ticks(5, (n, at) => ({
      ...member(at, n < 3 ? 'w1' : 'w2', n === 2 ? 'gone' : 'running'),
      ...(n === 1 && asking(at, 'shutdown', 'w1')),
    }));
    expect(state.down).toEqual({});
  });

  it('is ended by order also while Holter itself must not act', () => {
    const { effects } = ticks(2, (n, at) => ({
      ...member(at, 'w1'),
      isHeld: true,
      ...(n === 1 && asking(at, 'shutdown', 'w1')),
    }));
    expect(effects).toEqual(['1 agent:w terminate']);
  });

  it('whose end somebody has ordered through the server stays down until it is resumed', () => {
    const order = { by: 'ada', reason: 'enough', at: later(T0, minutes(4)) };
    const ended = (at: Instant) => look(at, 'w1', { state: 'ended', cpuMs: null, tick: null, order });
    const { acts, effects, says, state } = ticks(7, (n, at) => ({
      ...(n < 2 ? member(at, 'w1') : { members: [[NAME, ended(at)] as const] }),
      ...(n === 4 && asking(at, 'resume', null)),
    }));
    expect(acts.filter((act) => act.includes(NAME))).toEqual([
      '4 start agent:w',
      '5 start agent:w',
      '6 start agent:w',
    ]);
    expect(says).toEqual(['2 agent:w left-down', '4 agent:w asked']);
    expect([effects, state.down, state.links[NAME]?.budget.crashedAt]).toEqual([[], {}, []]);
  });

  it('is not resumed while nobody can see whether its end was ordered', () => {
    const { says, acts } = ticks(2, (n, at) => ({
      ...member(at, 'w1', n === 0 ? 'running' : 'unknown'),
      ...(n === 1 && asking(at, 'resume', null)),
    }));
    expect([says, acts.filter((act) => act.includes(NAME))]).toEqual([['1 agent:w asked'], []]);
  });

  it('nobody of an unknown name is asked for', () => {
    const { effects, says } = ticks(1, (_n, at) => asking(at, 'shutdown', null));
    expect([effects, says]).toEqual([[], ['0 agent:w asked']]);
  });
});
