import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compile } from './compile.ts';
import { checkPatience, patienceInForce, policyFor } from './policy-set.ts';

const policiesOf = (raw: unknown) => {
  const compiled = compile(raw);
  if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.problems));
  return compiled.policies;
};
const shipped = policiesOf({});
const ada = { role: 'default', agentId: 'ada', group: 'crew' };

/** What the directory asks for, what is in force, and what is told. */
function asked(settings: Record<string, unknown>, set = shipped) {
  const { patience, refused } = checkPatience(set, ada, { file: 'repo/holter.yaml', settings });
  return { inForce: patienceInForce(set, ada, patience), refused, patience };
}

const MINUTE = 60_000;
const policyOf = (settings: Record<string, unknown>, set = shipped) =>
  policyFor(set, ada.role, ada.agentId, ada.group, asked(settings, set).patience);

describe('a working directory', () => {
  test('may lengthen a limit, and nobody else’s', () => {
    expect(asked({ 'rules.silence_act': '40m' })).toMatchObject({
      inForce: { 'rules.silence_act': '40m' },
      refused: [],
    });
    expect(policyOf({ 'rules.silence_act': '40m' }).silence.actMs).toBe(40 * MINUTE);
    expect(policyFor(shipped, 'default', 'bob', 'crew').silence.actMs).toBe(15 * MINUTE);
  });

  test('lengthens at most fourfold', () => {
    const { inForce, refused } = asked({ 'rules.silence_act': '5h' });
    expect(inForce).toEqual({ 'rules.silence_act': '1h' });
    expect(refused).toEqual([
      { path: 'rules.silence_act', message: 'can be at most 4 times as long; 1h is in force' },
    ]);
  });

  test('never shortens', () => {
    const { inForce, refused } = asked({ 'rules.silence_act': '1m', 'detection.repeated_call.act': 2 });
    expect(inForce).toEqual({});
    expect(refused.map(({ message }) => message)).toEqual([
      expect.stringContaining('can only be lengthened'),
      expect.stringContaining('can only be lengthened'),
    ]);
  });

  test.each([
    ['for everybody', { rules: { silence_act: '20m' } }],
    ['for its role', { profiles: { default: { rules: { silence_act: '20m' } } } }],
    ['for its group', { groups: { crew: { rules: { silence_act: '20m' } } } }],
    ['for it alone', { agents: { ada: { rules: { silence_act: '20m' } } } }],
  ])('never overrides what the operator wrote %s', (_for, operator) => {
    const set = policiesOf(operator);
    const { inForce, refused } = asked({ 'rules.silence_act': '40m' }, set);
    expect(inForce).toEqual({});
    expect(refused[0]?.message).toBe('is set by the operator; 20m stays in force');
    expect(policyOf({ 'rules.silence_act': '40m' }, set).silence.actMs).toBe(20 * MINUTE);
  });

  test('does not move the operator’s limit by a longer warning before it', () => {
    const set = policiesOf({ rules: { silence_act: '15m' } });
    expect(policyOf({ 'rules.silence_warn': '18m' }, set).silence).toEqual(
      policyFor(set, ada.role, ada.agentId, ada.group).silence,
    );
  });

  test('can set nothing else', () => {
    const settings = {
      'limits.step': 'terminate',
      'limits.runtime_max': '1s',
      'rules.unattended': 'true',
      'rules.freeze_step': 'terminate',
      'rules.hold_asleep': '9d',
      'health_monitoring.enabled': 0,
      'health_monitoring.alerting.waiting_for_person.after': '1d',
      'health_monitoring.alerting.agent_failed.channels': 'none',
      'channels.mine': 'webhook',
      public_url: 'https://elsewhere.example.org',
      'detection.pollers': 'x',
      'agents.bob': 0,
      __proto__x: 1,
    };
    const { inForce, refused } = asked(settings);
    expect(inForce).toEqual({});
    expect(refused.map(({ path }) => path)).toEqual(Object.keys(settings));
  });

  test('is held to its bounds again when the operator’s file changes', () => {
    const { patience } = asked({ 'rules.silence_act': '60m' });
    const later = policiesOf({ rules: { silence_act: '10m' } });
    expect(policyFor(later, ada.role, ada.agentId, ada.group, patience).silence.actMs).toBe(10 * MINUTE);
  });
});

/** All numbers of a policy that are limits of patience, by where they are. */
const numbersOf = (value: unknown, path = ''): (readonly [string, number])[] =>
  typeof value === 'number'
    ? [[path, value]]
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, below]) => numbersOf(below, `${path}.${key}`))
      : [];

test('whatever it asks for, no number of the policy becomes smaller, or more than four times as large', () => {
  const paths = Object.keys(asked({}).patience.settings).concat(
    'rules.silence_warn',
    'rules.silence_act',
    'rules.silence_act_in_probation',
    'rules.checkpoint_warn',
    'rules.failures_in_row_max',
    'health_monitoring.heartbeat.timeout_seconds',
    'health_monitoring.health_check.checkpoint_stale_threshold_seconds',
    'detection.repeated_call.warn',
    'detection.repeated_call.act',
    'detection.same_error.act',
    'limits.tokens_max',
  );
  const amount = fc.oneof(fc.double(), fc.integer(), fc.constantFrom('1ms', '3h', '30d', 'none', '', 'x'));
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...paths), amount), (settings) => {
      const before = new Map(
        numbersOf({ ...policyFor(shipped, ada.role, ada.agentId, ada.group), breakers: 0 }),
      );
      for (const [path, value] of numbersOf({ ...policyOf(settings), breakers: 0 })) {
        expect(value, path).toBeGreaterThanOrEqual(before.get(path) ?? 0);
        expect(value, path).toBeLessThanOrEqual(4 * (before.get(path) ?? 0));
      }
    }),
    { numRuns: 300 },
  );
});
