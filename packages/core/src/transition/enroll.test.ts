import { describe, expect, test } from 'vitest';
import { Bench, registrationOf } from '../../test/kit.ts';
import { minutes, seconds } from '../base/time.ts';
import { UNPROVEN } from '../vocabulary/authority.ts';
import type { Registration } from './enroll.ts';
import { enroll } from './enroll.ts';

const beats: Partial<Registration> = { promises: { beatEveryMs: seconds(60) }, instanceId: 'one' };

const enrollmentOf = (bench: Bench, fields: Partial<Registration>) =>
  enroll(bench.agent, registrationOf({ ...beats, ...fields }), {
    at: bench.at,
    stalls: bench.stalls,
    policy: bench.policy,
  });

function crashed(): Bench {
  const bench = new Bench({ ...beats, promises: { beatEveryMs: seconds(60), tasks: true }, taskId: 't1' });
  bench.signal({ kind: 'checkpoint', checkpointId: 'cp1', hash: 'h' });
  bench.signal({ kind: 'call-begun', callId: 'c1', tool: 'Bash' });
  bench.signal({ kind: 'error', message: 'no', id: 'e1' });
  bench.signal({ kind: 'handoff-written', noteId: 'n1' });
  bench.signal({ kind: 'exited', code: 1 }, 'holter');
  bench.advance(minutes(1));
  return bench;
}

describe('who may take a name', () => {
  test('the same instance gets the same incarnation back, unchanged', () => {
    const bench = new Bench(beats);
    const enrollment = enrollmentOf(bench, { instanceId: 'one' });
    expect(enrollment).toEqual({ kind: 'enrolled', agent: bench.agent, events: [], over: [] });
  });

  test('another instance is refused while the first is alive, with the time of its first miss', () => {
    const bench = new Bench(beats);
    bench.signal({ kind: 'heartbeat' });
    bench.advance(seconds(20));
    expect(enrollmentOf(bench, { instanceId: 'two' })).toEqual({
      kind: 'refused',
      code: 'agent_running',
      retryAfterMs: seconds(55),
    });
  });

  test('a wrong key is refused', () => {
    const bench = new Bench(beats);
    expect(enrollmentOf(bench, { instanceId: 'two', spawnKey: 'ada/1/recover/1' }).kind).toBe('refused');
  });

  test('a wrong key is refused even if the name is free, and the ordered start goes on', () => {
    const bench = crashed();
    const key = bench.claimSpawn();
    for (const spawnKey of ['ada/1/recover/1', `${key} `, key.slice(1), ''])
      expect(enrollmentOf(bench, { instanceId: 'two', spawnKey })).toMatchObject({
        kind: 'refused',
        code: 'unknown_spawn_key',
      });
    expect(bench.agent.hard.incident).toMatchObject({ step: 'recover', phase: 'acting' });
    expect(bench.register({ instanceId: 'two', spawnKey: key })).toBe(true);
    bench.signal({ kind: 'exited', code: 0 }, 'holter');
    expect(bench.register({ instanceId: 'three', spawnKey: key })).toBe(false);
  });

  test('a repeated claim keeps the key, the next attempt has another one', () => {
    const bench = crashed();
    const key = bench.claimSpawn();
    expect(bench.claimSpawn()).toBe(key);
    bench.advance(minutes(5));
    expect(bench.agent.hard.incident).toMatchObject({ step: 'recover', attempt: 2, phase: 'acting' });
    expect(bench.claimSpawn()).not.toBe(key);
    expect(bench.register({ instanceId: 'late', spawnKey: key })).toBe(false);
  });

  test('a successor that is late, before the next start is claimed, has started by itself', () => {
    const bench = crashed();
    const key = bench.claimSpawn();
    bench.advance(minutes(3));
    expect(bench.agent.hard.incident).toMatchObject({ step: 'recover', attempt: 2, phase: 'due' });
    expect(enrollmentOf(bench, { instanceId: 'late', spawnKey: key })).toMatchObject({
      events: expect.arrayContaining([
        expect.objectContaining({
          type: 'INCIDENT_CLOSED',
          payload: expect.objectContaining({
            reason: 'a restart that Holter had given up came up after all',
          }),
        }),
      ]),
    });
    expect(bench.register({ instanceId: 'late', spawnKey: key })).toBe(true);
    expect(bench.agent.hard.incident).toBeUndefined();
    expect(bench.agent.hard.probation).toBeUndefined();
  });

  test('a successor that is late, after the next start was ordered, has started by itself too', () => {
    const bench = crashed();
    const key = bench.claimSpawn();
    while (bench.agent.hard.incident?.attempt !== 2 || bench.agent.hard.incident.phase !== 'acting')
      bench.advance(seconds(30));
    expect(bench.register({ instanceId: 'late', spawnKey: key })).toBe(true);
    expect(bench.agent.hard.incident).toBeUndefined();
    expect(bench.agent.hard.probation).toBeUndefined();
  });

  test.each<[string, (bench: Bench) => void]>([
    ['after one missed beat', (bench) => bench.advance(seconds(75))],
    ['after its exit', (bench) => bench.signal({ kind: 'exited', code: 0 }, 'holter')],
    ['after its crash', (bench) => bench.signal({ kind: 'exited', code: 1 }, 'holter')],
    ['after its stop', (bench) => bench.signal({ kind: 'stopped', reason: 'done' })],
  ])('another instance is accepted %s', (_when, happens) => {
    const bench = new Bench(beats);
    happens(bench);
    expect(bench.register({ instanceId: 'two' })).toBe(true);
    expect(bench.agent.hard).toMatchObject({ incarnation: 2, health: 'HEALTHY' });
    expect(bench.agent.hard.end).toBeUndefined();
  });

  test('even the same instance is a new incarnation after its end', () => {
    const bench = new Bench(beats);
    bench.signal({ kind: 'exited', code: 1 }, 'holter');
    expect(bench.register({ instanceId: 'one' })).toBe(true);
    expect(bench.agent.hard.incarnation).toBe(2);
  });
});

describe('a name that somebody has taken without a token', () => {
  const unproven: Partial<Registration> = { ...beats, enrolledBy: UNPROVEN };
  const proven: readonly [string, Partial<Registration>][] = [
    ['an operator', {}],
    ['an agent with an enroll token', { enrolledBy: 't-enroll', source: 'agent' }],
    ['an agent that names the same instance', { enrolledBy: 't-enroll', source: 'agent', instanceId: 'one' }],
    ['a session by its hooks', { enrolledBy: 't-hook', source: 'cli', reporter: { session: 's' } }],
    ['an agent that registers another', { enrolledBy: 'agent/bob', source: 'other-agent' }],
  ];

  test.each(proven)('is free at once for %s', (_who, fields) => {
    const bench = new Bench(unproven);
    bench.signal({ kind: 'heartbeat' });
    expect(bench.register({ ...beats, instanceId: 'two', ...fields })).toBe(true);
    expect(bench.agent.hard.incarnation).toBe(2);
    expect(bench.agent.hard.enrolledBy).toBe(fields.enrolledBy);
    // The next one has nothing unproven to replace.
    expect(enrollmentOf(bench, { instanceId: 'three' })).toMatchObject({ code: 'agent_running' });
  });

  test('stays with whoever has it for others without a token', () => {
    const bench = new Bench(unproven);
    expect(enrollmentOf(bench, { ...unproven, instanceId: 'two' })).toMatchObject({ code: 'agent_running' });
    expect(enrollmentOf(bench, unproven)).toMatchObject({ kind: 'enrolled', events: [] });
  });

  test('can not be taken back without a token', () => {
    const bench = new Bench(beats);
    expect(enrollmentOf(bench, { ...unproven, instanceId: 'two' })).toMatchObject({ code: 'agent_running' });
  });

  test('is not free for a key that Holter has not given', () => {
    const bench = new Bench(unproven);
    expect(enrollmentOf(bench, { instanceId: 'two', spawnKey: 'any' })).toMatchObject({
      code: 'unknown_spawn_key',
    });
  });
});

describe('who may report by hooks for a name', () => {
  const session = 'c64a3fea-d51f-4305-9248-db9d38df8039';
  const mine = { instanceId: session, reporter: { session } };
  const hooked = (fields: Partial<Registration> = mine) => new Bench({ promises: {}, ...fields });

  test('the same session, whose user becomes known with a hook token; then only this user', () => {
    const bench = hooked();
    const again = enrollmentOf(bench, mine);
    expect(again.kind === 'enrolled' && again.agent).toBe(bench.agent);
    const withUser = { ...mine, reporter: { session, user: 'dev@laptop' } };
    expect(bench.register(withUser)).toBe(true);
    expect(bench.agent.hard).toMatchObject({ incarnation: 1, reporter: withUser.reporter });
    for (const user of [undefined, 'eve@laptop'])
      expect(enrollmentOf(bench, { ...mine, reporter: { session, ...(user && { user }) } })).toMatchObject({
        code: 'other_reporter',
      });
  });

  test.each<[string, Partial<Registration>]>([
    ['another session', { instanceId: session, reporter: { session: session.replace(/9$/, '8') } }],
    ['an agent that calls it its subagent', { instanceId: session, reporter: { parent: 'ada' } }],
  ])('%s is refused, even after the end', (_who, fields) => {
    const bench = hooked();
    const refused = { kind: 'refused', code: 'other_reporter' };
    expect(enrollmentOf(bench, fields)).toMatchObject(refused);
    bench.signal({ kind: 'stopped', reason: 'done' });
    expect(enrollmentOf(bench, fields)).toMatchObject(refused);
    expect(bench.register(mine)).toBe(true);
    expect(bench.agent.hard.incarnation).toBe(2);
  });

  test('a silent session is not replaced by a registration, even with the same instance', () => {
    const bench = hooked();
    bench.advance(minutes(600));
    for (const instanceId of ['two', session])
      expect(enrollmentOf(bench, { instanceId })).toMatchObject({ kind: 'refused', code: 'agent_running' });
  });

  test("an agent that registered itself is nobody's subagent and no session", () => {
    const bench = new Bench({ ...beats, agentId: 'ada:sub', instanceId: session });
    for (const reporter of [{ session }, { parent: 'ada' }])
      expect(enrollmentOf(bench, { agentId: 'ada:sub', instanceId: session, reporter }).kind).toBe('refused');
  });

  test('a record of version 2 is bound to the whole session at its next hook', () => {
    const bench = hooked({ instanceId: session, reporter: {} });
    expect(enrollmentOf(bench, { instanceId: 'other', reporter: { session: 'other' } }).kind).toBe('refused');
    expect(bench.register(mine)).toBe(true);
    expect(bench.agent.hard).toMatchObject({ incarnation: 1, reporter: { session } });
  });
});

describe('what a new incarnation keeps', () => {
  test('it keeps the work: task, checkpoint, recoveries', () => {
    const bench = crashed();
    bench.register({ instanceId: 'two', spawnKey: bench.claimSpawn() });
    const { hard } = bench.agent;
    expect(hard.task).toMatchObject({ id: 't1', assignedAt: 1_000, updated: { at: bench.at } });
    expect(hard.task?.begunAt).toBeUndefined();
    expect(hard.checkpoint?.id).toBe('cp1');
    expect(hard.recovery).toMatchObject({ taskId: 't1', attempts: 1 });
  });

  test('it drops what concerned the old one: findings, holds, notes, ids, counts', () => {
    const bench = crashed();
    bench.register({ instanceId: 'two' });
    const { hard, soft } = bench.agent;
    expect(hard).toMatchObject({ points: [], derived: [], holds: [], seen: [] });
    for (const key of ['end', 'handoffNoteId', 'failuresInRow', 'spawnKey', 'inquiry'] as const)
      expect(hard[key]).toBeUndefined();
    expect(soft).toMatchObject({ beatAt: 0, tokens: 0 });
  });

  test('an ordered successor is on probation, one that started by itself ends the incident', () => {
    const ordered = crashed();
    ordered.register({ instanceId: 'two', spawnKey: ordered.claimSpawn() });
    expect(ordered.agent.hard.probation?.until).toBe(ordered.at + minutes(15));
    expect(ordered.agent.hard.incident).toMatchObject({ step: 'recover', phase: 'waiting' });

    const own = crashed();
    own.register({ instanceId: 'two' });
    expect(own.agent.hard.probation).toBeUndefined();
    expect(own.agent.hard.incident).toBeUndefined();
    expect(own.agent.hard.recovery?.attempts).toBe(1);
  });

  test('registering with another task replaces the task', () => {
    const bench = crashed();
    bench.register({ instanceId: 'two', taskId: 't2' });
    expect(bench.agent.hard.task?.id).toBe('t2');
  });

  test('a time before the last input is raised to it', () => {
    const bench = crashed();
    const latest = bench.agent.hard.at;
    bench.at = registrationAt(latest - 30_000);
    bench.register({ instanceId: 'two' });
    expect(bench.agent.hard.startedAt).toBe(latest);
  });
});

const registrationAt = (ms: number): Bench['at'] => ms as Bench['at'];
