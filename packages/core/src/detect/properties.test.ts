import fc from 'fast-check';
import { expect, test } from 'vitest';
import { call, failing, judge, rankOf, say } from '../../test/detect/runs.ts';
import { type Instant, instant } from '../base/time.ts';
import { type AgentStep, defaultDetectionPolicy, emptyDetectorState, observe } from './index.ts';

/** Runs with many repetitions: few calls, few results. */
const stepArb: fc.Arbitrary<AgentStep> = fc
  .record({
    name: fc.constantFrom('alpha', 'beta', 'gamma', 'delta'),
    result: fc.constantFrom('one', 'two', '', 'No matches found', '3 failed', '2 failed'),
    error: fc.boolean(),
  })
  .map(({ name, result, error }) =>
    call('', result, { tool: 'run', input: { target: name, mode: 'fast', depth: 2 }, error }),
  );
const runArb = fc.array(stepArb, { maxLength: 60 });
const seed = 20261115;

const reordered = (input: unknown): unknown =>
  Object.fromEntries(Object.entries(input as Record<string, unknown>).reverse());

test('the order of argument keys never changes a verdict', () => {
  fc.assert(
    fc.property(runArb, fc.array(fc.boolean(), { minLength: 60, maxLength: 60 }), (run, flips) => {
      const other = run.map((step, index) =>
        flips[index] ? { ...step, input: reordered(step.input) } : step,
      );
      expect(judge(other)).toEqual(judge(run));
    }),
    { seed },
  );
});

test('volatile noise never changes a verdict', () => {
  const noiseArb = fc.array(fc.tuple(fc.integer({ min: 1, max: 9_999 }), fc.uuid()), {
    minLength: 60,
    maxLength: 60,
  });
  fc.assert(
    fc.property(runArb, noiseArb, (run, noise) => {
      const noisy = (offset: number): AgentStep[] =>
        run.map((step, index) => {
          const [number, uuid] = noise[(index + offset) % 60] ?? [1, ''];
          return {
            ...step,
            output: `${step.output}\n---\nrequest_id ${uuid} took ${number} ms, tokens used ${number}`,
          };
        });
      expect(judge(noisy(7))).toEqual(judge(noisy(0)));
      expect(judge(noisy(0)).worst).toBe(judge(run).worst);
    }),
    { seed },
  );
});

test('thoughts, notes and nudges between the calls never change the verdict on them', () => {
  const noteArb = fc.constantFrom(
    '[harness] 41 % used',
    'Holter: the last 5 calls were equal.',
    '<note>saved</note>',
  );
  fc.assert(
    fc.property(runArb, fc.array(fc.option(noteArb), { minLength: 60, maxLength: 60 }), (run, notes) => {
      const interleaved = run.flatMap((step, index) => {
        const note = notes[index];
        const spoken = { ...step, text: note ?? null };
        return note ? [spoken, say(note, { kind: index % 2 === 0 ? 'user' : 'system' })] : [spoken];
      });
      const { worst, kinds } = judge(interleaved);
      expect({ worst, kinds }).toEqual({ worst: judge(run).worst, kinds: judge(run).kinds });
    }),
    { seed },
  );
});

test('it does not matter whether parallel calls arrive at once or one after the other', () => {
  fc.assert(
    fc.property(runArb, fc.integer({ min: 1, max: 8 }), (run, size) => {
      const batched = run.map((step, index) => ({
        ...step,
        at: instant(Math.floor(index / size) * 4_000) as Instant,
      }));
      const split = run.map((step, index) => ({
        ...step,
        at: instant(Math.floor(index / size) * 4_000 + (index % size) * 50) as Instant,
      }));
      expect(judge(split)).toEqual(judge(batched));
    }),
    { seed },
  );
});

test('inserting a changed success anywhere never makes the verdict worse', () => {
  fc.assert(
    fc.property(runArb, fc.nat(60), (run, position) => {
      const news = call('cat fresh', 'something never seen before');
      const other = [...run.slice(0, position), news, ...run.slice(position)];
      expect(rankOf(judge(other).worst)).toBeLessThanOrEqual(rankOf(judge(run).worst));
    }),
    { seed, numRuns: 500 },
  );
});

test('the state is plain and bounded, and a stored copy continues the same', () => {
  const longArb = fc.array(
    fc.oneof(
      stepArb,
      fc.tuple(fc.string(), fc.string({ maxLength: 400 })).map(([command, output]) => call(command, output)),
      fc.string().map((text) => failing(text, `${text}: not allowed`)),
      fc.string().map((text) => say(text)),
      fc.string().map((text) => say(text, { kind: 'user' })),
    ),
    { maxLength: 200 },
  );
  fc.assert(
    fc.property(longArb, (run) => {
      let state = emptyDetectorState;
      let stored = emptyDetectorState;
      for (const step of run) {
        const direct = observe(state, step, defaultDetectionPolicy);
        const resumed = observe(stored, step, defaultDetectionPolicy);
        expect(resumed).toEqual(direct);
        expect(new Set(direct.findings.map(({ kind }) => kind)).size).toBe(direct.findings.length);
        state = direct.state;
        stored = JSON.parse(JSON.stringify(resumed.state));
      }
      expect(JSON.stringify(state).length).toBeLessThanOrEqual(8_192);
    }),
    { seed, numRuns: 60 },
  );
});

test('evidence is short enough and contains no output', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 8, unit: 'grapheme' }), (secret) => {
      let state = emptyDetectorState;
      for (let index = 0; index < 6; index += 1) {
        const observation = observe(state, failing('make', `marker-${secret}`), defaultDetectionPolicy);
        state = observation.state;
        for (const finding of observation.findings) {
          expect(finding.evidence.length).toBeLessThanOrEqual(200);
          expect(finding.evidence).not.toContain('marker-');
        }
      }
    }),
    { seed },
  );
});
