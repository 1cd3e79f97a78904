import { describe, expect, test } from 'vitest';
import { Bench } from '../../test/kit.ts';
import { instant, minutes } from '../base/time.ts';
import { openTasks, TASKS_MAX } from '../record/tasks.ts';
import type { Source } from '../vocabulary/authority.ts';

const bench = (fields: ConstructorParameters<typeof Bench>[0] = {}) => new Bench(fields);
const assign = (ada: Bench, taskId: string, more: object = {}, origin: Source = 'holter') =>
  ada.signal({ kind: 'task-assigned', taskId, ...more }, origin);
const open = ({ agent }: Bench) => openTasks(agent.hard).map(({ id }) => id);
const find = ({ agent }: Bench, taskId: string) => openTasks(agent.hard).find(({ id }) => id === taskId);
const findings = ({ agent }: Bench) => [...agent.hard.points, ...agent.hard.derived];
const severity = (ada: Bench) => findings(ada).find(({ kind }) => kind === 'task-overdue')?.severity;
const inquiries = (steps: readonly { effects: readonly { kind: string; taskId?: string | null }[] }[]) =>
  steps.flatMap(({ effects }) => effects.flatMap(({ kind, taskId }) => (kind === 'inquire' ? taskId : [])));

test.each(['operator', 'orchestrator'] as const)('a task that the %s keeps is no sign of life', (origin) => {
  const ada = bench({ promises: { beatEveryMs: minutes(1) } });
  ada.advance(minutes(2));
  assign(ada, 't1', {}, origin);
  ada.signal({ kind: 'task-updated', taskId: 't1', percent: 10 }, origin);
  ada.signal({ kind: 'task-ended', taskId: 't1', outcome: 'done' }, origin);
  ada.advance(minutes(2));
  expect(ada.agent.hard.unknownSince).toBeDefined();
});

describe('many tasks', () => {
  test('stay open beside each other; the one that was assigned, updated or named last is the current one', () => {
    const ada = bench();
    for (const id of ['t1', 't2', 't3']) assign(ada, id, { description: `do ${id}` });
    expect(open(ada)).toEqual(['t3', 't1', 't2']);
    ada.signal({ kind: 'task-updated', taskId: 't1', percent: 10 });
    expect(open(ada)).toEqual(['t1', 't2', 't3']);
    ada.signal({ kind: 'heartbeat', taskId: 't2' });
    expect(ada.agent.hard.task).toMatchObject({ id: 't2', description: 'do t2' });
    expect(findings(ada)).toEqual([]);
  });

  test('end one by one; the agent goes back to the one before, and those that ended stay known', () => {
    const ada = bench();
    for (const id of ['t1', 't2', 't3']) assign(ada, id);
    ada.signal({ kind: 'task-ended', taskId: 't1', outcome: 'failed' }, 'holter');
    expect(open(ada)).toEqual(['t3', 't2']);
    ada.signal({ kind: 'task-ended', taskId: 't3', outcome: 'done' }, 'holter');
    expect(open(ada)).toEqual(['t2']);
    expect(ada.agent.hard.endedTasks).toMatchObject([
      { id: 't1', outcome: 'failed' },
      { id: 't3', outcome: 'done' },
    ]);
  });

  test('that the agent names itself replace each other, and an idle agent is not sent back to one', () => {
    const ada = bench({ promises: { tasks: true } });
    assign(ada, 'own-1', {}, 'agent');
    assign(ada, 'own-2', {}, 'agent');
    expect(open(ada)).toEqual(['own-2']);
    assign(ada, 'own-3', { expectedAt: instant(ada.at + minutes(5)) }, 'agent');
    assign(ada, 'own-4', {}, 'agent');
    ada.signal({ kind: 'task-ended', taskId: 'own-4', outcome: 'done' });
    expect(ada.agent.hard.task).toBeUndefined();
    expect(open(ada)).toEqual(['own-3']);
    expect(ada.agent.hard.work).toBeUndefined();
  });

  test('are bounded: one more is refused, and an open one may still be changed', () => {
    const ada = bench();
    for (let n = 0; n < TASKS_MAX; n++) assign(ada, `t${n}`);
    expect(assign(ada, 'one-more').rejection?.code).toBe('too-many-tasks');
    expect(open(ada)).toHaveLength(TASKS_MAX);
    expect(assign(ada, 't0', { description: 'other words' }).rejection).toBeUndefined();
    expect(find(ada, 't0')?.description).toBe('other words');
    for (let n = 0; n < TASKS_MAX; n++)
      ada.signal({ kind: 'task-ended', taskId: `t${n}`, outcome: 'done' }, 'holter');
    expect(ada.agent.hard.endedTasks).toHaveLength(8);
  });

  test('of its own do not keep an agent from being given one', () => {
    const ada = bench();
    const expectedAt = instant(ada.at + minutes(90));
    for (let n = 0; n < TASKS_MAX; n++) assign(ada, `own-${n}`, { expectedAt }, 'agent');
    expect(assign(ada, 'own-more', { expectedAt }, 'agent').rejection?.code).toBe('too-many-tasks');
    for (let n = 0; n < TASKS_MAX; n++) expect(assign(ada, `t${n}`).rejection).toBeUndefined();
    expect(open(ada)).toHaveLength(TASKS_MAX);
    expect(open(ada).some((id) => id.startsWith('own'))).toBe(false);
    expect(assign(ada, 'one-more').rejection?.code).toBe('too-many-tasks');
  });

  test('survive a restart, with the time of their assignment', () => {
    const ada = bench();
    const at = ada.at;
    assign(ada, 't1', { expectedAt: instant(at + minutes(1)) });
    assign(ada, 't2');
    ada.advance(minutes(60));
    ada.signal({ kind: 'stopped', reason: 'done' }, 'operator');
    ada.register({ instanceId: 'two' });
    expect(open(ada)).toEqual(['t2', 't1']);
    expect(find(ada, 't1')).toMatchObject({ assignedAt: at, updated: { at: ada.at } });
    expect(find(ada, 't1')?.inquiredAt).toBeUndefined();
    ada.signal({ kind: 'stopped', reason: 'done' }, 'operator');
    ada.register({ instanceId: 'three', taskId: 't1' });
    expect(open(ada)).toEqual(['t1', 't2']);
  });

  test('keep a crashed agent to be brought back until the last of them ends', () => {
    const ada = bench({ promises: { process: true } });
    for (const id of ['t1', 't2']) assign(ada, id);
    ada.signal({ kind: 'exited', code: 1 }, 'holter');
    ada.signal({ kind: 'task-ended', taskId: 't1', outcome: 'done' }, 'holter');
    expect(ada.agent.hard.end?.how).toBe('crash');
    ada.signal({ kind: 'task-ended', taskId: 't2', outcome: 'done' }, 'holter');
    expect(ada.agent.hard.end?.how).toBe('stopped');
  });

  test('have their own costs, whichever the agent works on in between', () => {
    const ada = bench();
    for (const id of ['t1', 't2']) assign(ada, id);
    let total = 0;
    for (const [id, tokens] of [
      ['t1', 100],
      ['t2', 40],
      ['t1', 7],
    ] as const) {
      ada.signal({ kind: 'task-updated', taskId: id });
      total += tokens;
      ada.signal({ kind: 'tokens', total, models: [{ model: 'big-1', input: total }] });
    }
    expect(ada.agent.hard.spent?.task).toMatchObject({ id: 't1', tokens: 107 });
    expect(find(ada, 't2')?.spent).toMatchObject({ tokens: 40 });
  });
});

describe('the expected end of a task', () => {
  test('is not moved by the agent itself', () => {
    const ada = bench();
    const expectedAt = instant(ada.at + minutes(5));
    assign(ada, 't1', { expectedAt });
    assign(ada, 't1', { expectedAt: instant(ada.at + minutes(500)) }, 'agent');
    expect(find(ada, 't1')?.expectedAt).toBe(expectedAt);
    assign(ada, 't1', { expectedAt: instant(ada.at + minutes(50)) }, 'holter');
    expect(find(ada, 't1')?.expectedAt).toBe(ada.at + minutes(50));
  });
});

describe('a stalled task', () => {
  const promises = { beatEveryMs: minutes(1) };
  const beat = (ada: Bench, forMs: number) => {
    const steps: ReturnType<Bench['signal']>[] = [];
    for (const end = ada.at + forMs; ada.at < end; ) {
      steps.push(...ada.advance(minutes(1)));
      steps.push(ada.signal({ kind: 'heartbeat' }));
    }
    return steps;
  };

  test('needs all three: past its end, no update for 30 min, no word about the delay', () => {
    const ada = bench({ promises });
    assign(ada, 't1', { expectedAt: instant(ada.at + minutes(40)) });
    assign(ada, 'endless');
    beat(ada, minutes(39));
    expect(severity(ada)).toBeUndefined();
    ada.signal({ kind: 'task-updated', taskId: 't1', percent: 50 });
    beat(ada, minutes(29));
    expect(severity(ada)).toBeUndefined();
    ada.signal({ kind: 'blocker', text: 'the licence server is down' });
    beat(ada, minutes(29));
    expect(severity(ada)).toBeUndefined();
    expect(inquiries(beat(ada, minutes(2)))).toEqual(['t1']);
    expect(severity(ada)).toBe('warn');
  });

  test('is asked about once each, and only a word about it is an answer', () => {
    const ada = bench({ promises });
    for (const id of ['t1', 't2']) assign(ada, id, { expectedAt: instant(ada.at + minutes(1)) });
    expect(inquiries(beat(ada, minutes(60)))).toEqual(['t2', 't1']);
    ada.signal({ kind: 'task-updated', taskId: 't1' });
    expect(severity(ada)).toBe('warn');
    expect(find(ada, 't1')?.inquiredAt).toBeUndefined();
    expect(find(ada, 't2')?.inquiredAt).toBeDefined();
  });

  test('means a failed agent only when its beats stop as well', () => {
    const slow = bench({ promises });
    assign(slow, 't1', { expectedAt: instant(slow.at + minutes(1)) });
    beat(slow, minutes(120));
    expect(severity(slow)).toBe('warn');
    expect(slow.agent.hard.incident).toBeUndefined();
    slow.advance(minutes(2));
    expect(severity(slow)).toBe('warn');
    slow.advance(minutes(2));
    expect(severity(slow)).toBe('act');
    expect(slow.agent.hard.incident?.step).toBe('escalate');
  });

  test('that the agent cannot continue is believed at once, until it makes progress', () => {
    const ada = bench({ promises });
    assign(ada, 't1');
    ada.signal({ kind: 'task-updated', taskId: 't1', percent: 5, cannotContinue: true, note: 'no access' });
    expect(findings(ada)).toMatchObject([
      {
        kind: 'unrecoverable-error',
        severity: 'act',
        evidence: 'says that it cannot go on with its task t1: no access',
      },
    ]);
    expect(ada.agent.hard.incident?.step).toBe('escalate');
    ada.signal({ kind: 'task-updated', taskId: 't1', percent: 60 });
    expect(findings(ada)).toEqual([]);
  });
});
