import { compile, type HolterConfig, type PolicySet } from '@holter/server/policy';

/** For configurations that are part of the program: a mistake in one is a bug. */
export function policiesOf(config: HolterConfig): PolicySet {
  const compiled = compile(config);
  if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.problems));
  return compiled.policies;
}

const usual = { interval_seconds: 60, missed_threshold: 3 };

/**
 * What stands in the simulated operator's holter.yaml. Nearly everything is left as it comes; what is set is what
 * no default has, so that the rules for it are asked too. The checker knows the same numbers from `contract.ts`.
 */
export const simPolicies = policiesOf({
  health_monitoring: {
    circuit_breaker: {
      overrides: {
        model_call: { mode: 'ratio', ratio: 0.5, minimum_calls: 6, window_calls: 12, half_open_requests: 2 },
        search: { mode: 'slow', ratio: 0.5, minimum_calls: 10, window_calls: 20, slow_seconds: 30 },
      },
    },
  },
  profiles: {
    metered: { ...usual, limits: { tokens_max: 15_000_000, step: 'terminate' } },
    lean: { ...usual, limits: { memory_max: '2GB' }, rules: { unattended: false } },
    'critical-infrastructure': { rules: { freeze_step: 'terminate' } },
  },
});
