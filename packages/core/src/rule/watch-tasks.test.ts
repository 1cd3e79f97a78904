import { describe, expect, test } from 'vitest';
import { Bench, policiesOf } from '../../test/kit.ts';
import { instant, minutes } from '../base/time.ts';

const policies = policiesOf({ agents: { ada: { watch: 'tasks' } }, profiles: { batch: { watch: 'tasks' } } });
const calls = { modelTimeoutMs: minutes(1) };
const promises = { beatEveryMs: minutes(1), pongs: true, calls, tasks: true, checkpoints: true } as const;

/** An agent with all promises that says nothing, with a task that is due after ten minutes. */
function silent(fields: { agentId?: string; role?: string }): Bench {
  const bench = new Bench({ promises, ...fields }, policies);
  bench.signal(
    { kind: 'task-assigned', taskId: 't1', expectedAt: instant(bench.at + minutes(10)) },
    'holter',
  );
  return bench;
}
const kinds = ({ agent }: Bench) => agent.hard.derived.map(({ kind, severity }) => `${kind} ${severity}`);

describe('an agent that is judged by its tasks alone', () => {
  test.each([[{ agentId: 'ada' }], [{ agentId: 'bob', role: 'batch' }]])(
    '%o is not judged by beats',
    (who) => {
      const bench = silent(who);
      bench.advance(minutes(29));
      expect(kinds(bench)).toEqual([]);
      expect(bench.agent.hard).toMatchObject({ health: 'HEALTHY' });
      expect(bench.agent.hard.unknownSince).toBeUndefined();
      // Its neighbour of another role is.
      const other = silent({ agentId: 'cal' });
      other.advance(minutes(29));
      expect(kinds(other)).toContain('missed-heartbeats act');
    },
  );

  test('fails when its task stalls and nothing at all was heard of it', () => {
    const bench = silent({ agentId: 'ada' });
    bench.advance(minutes(31));
    expect(kinds(bench)).toEqual(['task-overdue warn']);
    // It lives: a beat is no answer, but it puts the failure off.
    bench.signal({ kind: 'heartbeat' });
    bench.advance(minutes(5) - 1);
    expect(kinds(bench)).toEqual(['task-overdue warn']);
    bench.advance(minutes(2));
    expect(kinds(bench)).toEqual(['task-overdue act']);
    expect(bench.agent.hard.incident?.step).toBe('escalate');
  });

  test('is believed when it says that it cannot continue, and its end is seen', () => {
    const bench = silent({ agentId: 'ada' });
    bench.signal({ kind: 'task-updated', taskId: 't1', cannotContinue: true });
    expect(bench.agent.hard.health).toBe('FAILING');
    const gone = silent({ agentId: 'ada' });
    gone.signal({ kind: 'exited', code: 1 }, 'holter');
    expect(gone.agent.hard.health).toBe('FAILING');
  });

  test('is reminded of a letter, and not called late', () => {
    const bench = silent({ agentId: 'ada' });
    for (const priority of ['urgent', 'high'] as const)
      bench.signal({ kind: 'message-delivered', messageId: priority, priority }, 'holter');
    const effects = bench.advance(minutes(20)).flatMap((turn) => turn.effects);
    expect(effects.map(({ kind }) => kind)).toEqual(['remind']);
    expect(kinds(bench)).toEqual([]);
    expect(bench.agent.hard.health).toBe('HEALTHY');
  });

  test('is judged by beats again when the setting is gone', () => {
    const bench = silent({ agentId: 'ada' });
    bench.advance(minutes(20));
    const other = new Bench({ promises, agentId: 'ada' });
    other.agent = bench.agent;
    other.at = bench.at;
    other.feed({ kind: 'tick' });
    expect(kinds(other)).toContain('missed-heartbeats warn');
  });
});
