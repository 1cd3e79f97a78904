import { describe, expect, test } from 'vitest';
import { Bench, registrationOf } from '../../test/kit.ts';
import { hours, minutes, seconds } from '../base/time.ts';
import type { Source } from '../vocabulary/authority.ts';
import { AUTHORITY } from '../vocabulary/authority.ts';
import type { HoldKind } from '../vocabulary/hold.ts';
import { enroll, type Registration } from './enroll.ts';

const SOURCES = Object.keys(AUTHORITY) as readonly Source[];
const owned: Partial<Registration> = {
  promises: { beatEveryMs: seconds(60), calls: { modelTimeoutMs: minutes(0) }, process: true },
  executor: 'run:1',
};
const unowned: Partial<Registration> = { promises: { beatEveryMs: seconds(60) } };

test('the table, by source', () => {
  const rows = SOURCES.map((source) => {
    const { senses, ends, replaces, returns, holds, claims, decides } = AUTHORITY[source];
    return [source, senses, ends, replaces, returns, holds, claims, decides].join(' | ');
  });
  expect(rows).toEqual([
    'holter | true | always | never | as-before | always | false | never',
    'cli | false | unless-watched | unless-owned | as-before | until-contradicted | false | never',
    'seen-cli | false | announces | unless-owned | as-before | until-contradicted | false | never',
    'executor | true | always | always | freely | until-contradicted | true | always',
    'operator | true | always | always | freely | always | true | always',
    'orchestrator | false | never | never | as-before | never | false | own-group',
    'starter | false | never | unless-owned | freely | never | false | never',
    'agent | false | unless-watched | unless-owned | as-before | limited | false | never',
    'other-agent | false | never | never | as-before | never | false | never',
  ]);
});

describe('who may end an agent', () => {
  const endedBy = (fields: Partial<Registration>): readonly Source[] =>
    SOURCES.filter((source) => {
      const bench = new Bench(fields);
      bench.signal({ kind: 'stopped', reason: 'said so' }, source);
      return bench.agent.hard.end !== undefined;
    });

  test('whose process is looked at', () => {
    expect(endedBy(owned)).toEqual(['holter', 'executor', 'operator']);
  });

  test('of which nobody sees the process', () => {
    expect(endedBy(unowned)).toEqual(['holter', 'cli', 'executor', 'operator', 'agent']);
  });

  test('its own word is noted once, and everything goes on', () => {
    const bench = new Bench(owned);
    const said = () => bench.signal({ kind: 'stopped', reason: 'x' }).events.map(({ type }) => type);
    expect(said()).toEqual(['STOP_ANNOUNCED']);
    expect(said()).toEqual([]);
    const look = {
      kind: 'process',
      state: 'running',
      cpuMs: 1,
      ioBytes: 1,
      childrenAtWork: 0,
      memoryBytes: 1,
    };
    expect(bench.signal(look as never, 'holter')).not.toHaveProperty('rejection');
    const stop = { decision: 'terminate', by: 'olga', reason: 'it runs' } as const;
    expect(bench.feed({ kind: 'decision', decision: stop })).not.toHaveProperty('rejection');
    bench.signal({ kind: 'exited', code: null, signal: 'SIGTERM' }, 'holter');
    expect(bench.agent.hard.end).toMatchObject({ byHolter: true });
  });

  test.each([
    [5, undefined, 'stopped as announced (exit code 5)'],
    [null, 'SIGKILL', 'stopped as announced (killed by SIGKILL)'],
    [0, undefined, 'ended on purpose'],
  ])('its own word is told with the exit that follows: %s %s', (code, signal, told) => {
    const bench = new Bench({ ...owned, taskId: 't1' });
    bench.signal({ kind: 'stopped', reason: 'done for today' });
    const { events } = bench.signal({ kind: 'exited', code, ...(signal && { signal }) }, 'holter');
    const messages = events.flatMap((event) =>
      event.type === 'ATTENTION_RAISED' ? [event.payload.message] : [],
    );
    expect(messages).toEqual([`it ${told} with its task still open`]);
    const recover = { decision: 'recover', by: 'olga', reason: 'once more' } as const;
    const { rejection } = bench.feed({ kind: 'decision', decision: recover });
    expect(rejection).toMatchObject({ because: expect.stringContaining(`it ${told}`) });
  });
});

describe('who may replace an agent that has missed a beat', () => {
  const replacedBy = (fields: Partial<Registration>): readonly Source[] =>
    SOURCES.filter((source) => {
      const bench = new Bench(fields);
      bench.advance(seconds(80));
      const registration = registrationOf({ ...unowned, mode: 'observe', instanceId: 'two', source });
      const { at, stalls, policy } = bench;
      const enrollment = enroll(bench.agent, registration, { at, stalls, policy });
      if (enrollment.kind === 'refused') expect(enrollment.code).toBe('agent_owned');
      return enrollment.kind === 'enrolled';
    });

  test('and that an executor owns', () => {
    expect(replacedBy(owned)).toEqual(['executor', 'operator']);
  });

  test('and that nobody owns', () => {
    expect(replacedBy(unowned)).toEqual(['cli', 'seen-cli', 'executor', 'operator', 'starter', 'agent']);
  });
});

describe('who may quieten an agent', () => {
  const loop = {
    kind: 'finding',
    finding: {
      kind: 'repeated-call',
      severity: 'act',
      source: 'agent-reports',
      since: 0,
      evidence: 'the same call',
      threshold: '5',
      count: 5,
    },
  } as const;

  /** Where the ladder is after three hours on such a hold, with a loop that was found before. */
  const stepAfter = (source: Source, hold: HoldKind = 'asleep'): string | undefined => {
    const bench = new Bench({ ...owned, can: ['nudge'] });
    bench.signal(loop as never, 'holter');
    bench.signal({ kind: 'hold-begun', hold }, source);
    bench.advance(hours(3));
    const { incident } = bench.agent.hard;
    return incident && `${incident.step} ${incident.attempt}`;
  };

  test.each<[Source, string]>([
    ['holter', 'nudge 1'],
    ['cli', 'nudge 1'],
    ['executor', 'nudge 1'],
    ['operator', 'nudge 1'],
    ['agent', 'human 1'],
    ['orchestrator', 'human 1'],
    ['other-agent', 'human 1'],
  ])('a hold that %s declares leaves the ladder at %s', (source, step) => {
    expect(stepAfter(source)).toBe(step);
  });

  test.each<HoldKind>([
    'asleep',
    'hibernated',
    'awaiting-gate',
    'rate-limited',
    'waiting-for-input',
    'waiting-for-permission',
  ])('a call contradicts %s and ends it', (hold) => {
    const bench = new Bench(owned);
    const begin = () => bench.signal({ kind: 'hold-begun', hold, until: (bench.at + hours(1)) as never });
    begin();
    bench.signal({ kind: 'call-begun', callId: 'a', tool: 'Bash' });
    expect(bench.agent.hard.holds.map(({ kind }) => kind)).toEqual(['in-tool']);
    begin();
    bench.signal({ kind: 'call-ended', callId: 'a', tool: 'Bash', isError: false });
    expect(bench.agent.hard.holds.map(({ kind }) => kind)).toEqual([hold]);
    bench.signal({ kind: 'call-ended', callId: 'b', tool: 'Bash', isError: false });
    expect(bench.agent.hard.holds).toEqual([]);
  });

  test('ending a hold and declaring it again does not make it young', () => {
    const bench = new Bench(owned);
    for (let round = 0; round < 60; round++) {
      bench.signal({ kind: 'hold-begun', hold: 'rate-limited' });
      bench.advance(minutes(6));
      bench.signal({ kind: 'hold-ended', hold: 'rate-limited' });
      bench.advance(seconds(30));
    }
    expect(bench.agent.hard.derived).toMatchObject([
      { kind: 'silent' },
      { kind: 'hold-overdue', threshold: '6 h for rate-limited' },
    ]);
    bench.advance(minutes(16));
    expect(bench.agent.hard.derived.map(({ kind }) => kind)).not.toContain('hold-overdue');
  });

  describe.each<Source>(['cli', 'executor'])('during an incident, a hold that %s declares', (source) => {
    const ofSession = { promises: { calls: { modelTimeoutMs: minutes(0) } }, executor: 'run:1' };
    let calls = 0;
    const call = (bench: Bench, between: () => void = () => undefined) => {
      const callId = `c-${++calls}`;
      const what = { callId, tool: 'Bash', input: { command: 'ls' } };
      bench.signal({ kind: 'call-begun', ...what }, source);
      between();
      bench.signal({ kind: 'call-ended', ...what, output: 'same', isError: false }, source);
    };
    const ask = (bench: Bench) =>
      bench.signal({ kind: 'hold-begun', hold: 'waiting-for-permission' }, source);
    const looping = (): Bench => {
      const bench = new Bench(ofSession);
      for (let n = 0; n < 6; n++) call(bench);
      expect(bench.agent.hard.incident?.step).toBe('nudge');
      return bench;
    };

    test('is believed for as long as nothing contradicts it', () => {
      const bench = looping();
      ask(bench);
      bench.advance(hours(8));
      expect(bench.agent.hard.incident).toMatchObject({ step: 'nudge' });
      expect(bench.agent.hard.holds).toMatchObject([{ kind: 'waiting-for-permission' }]);
      expect(bench.agent.hard.holds[0]?.isOwnWord).toBeUndefined();
    });

    test.each<[string, (bench: Bench) => void]>([
      ['before and after each call', (bench) => call(bench, () => ask(bench))],
      [
        'and is taken back before each call',
        (bench) => {
          bench.signal({ kind: 'hold-ended', hold: 'waiting-for-permission' });
          call(bench);
          ask(bench);
        },
      ],
    ])('does not stop the ladder when it is declared %s', (_what, round) => {
      const bench = looping();
      ask(bench);
      const steps = new Set<string>();
      for (let n = 0; n < 200 && bench.agent.hard.incident?.step !== 'human'; n++) {
        bench.advance(minutes(1));
        round(bench);
        steps.add(bench.agent.hard.incident?.step ?? 'none');
      }
      expect([...steps]).toEqual(['nudge', 'escalate', 'human']);
    });

    test('continues the one that a call contradicted, whatever was declared right before the call', () => {
      const bench = looping();
      const since = bench.at;
      ask(bench);
      bench.advance(minutes(25));
      bench.signal({ kind: 'hold-begun', hold: 'rate-limited' }, source);
      bench.advance(1);
      call(bench, () => {
        bench.advance(1);
        ask(bench);
      });
      expect(bench.agent.hard.holds).toMatchObject([{ kind: 'waiting-for-permission', isOwnWord: true }]);
      expect(bench.agent.hard.ownHolds).toEqual({ since });
    });

    test('never gets a session killed that waits, whatever it said before', () => {
      const bench = looping();
      for (let n = 0; n < 20; n++) {
        ask(bench);
        bench.advance(minutes(1));
        call(bench);
      }
      ask(bench);
      expect(bench.agent.hard.holds[0]?.isOwnWord).toBe(true);
      bench.advance(hours(8));
      expect(bench.agent.hard.incident?.step).toBe('human');
    });

    test('is believed again when the incident is over', () => {
      const bench = looping();
      ask(bench);
      bench.advance(minutes(1));
      call(bench);
      ask(bench);
      expect(bench.agent.hard.holds[0]?.isOwnWord).toBe(true);
      for (let n = 0; n < 8; n++)
        bench.signal({
          ...{ kind: 'call-ended', callId: `new-${n}`, tool: 'Edit', isError: false },
          ...{ input: { path: `${n}.ts` }, output: `changed ${n}` },
        });
      expect(bench.agent.hard.incident?.calm).toBeDefined();
      ask(bench);
      expect(bench.agent.hard.holds[0]?.isOwnWord).toBeUndefined();
    });
  });

  test('what Holter has seen does not become the agent’s own word', () => {
    const bench = new Bench(owned);
    bench.signal({ kind: 'hold-begun', hold: 'waiting-for-permission' }, 'cli');
    bench.signal({ kind: 'hold-begun', hold: 'waiting-for-permission' });
    expect(bench.agent.hard.holds[0]?.isOwnWord).toBeUndefined();
  });
});
