import { Engine } from '../src/engine/engine.ts';
import type { EngineOptions } from '../src/engine/engine-options.ts';
import { defaultPolicies } from '../src/policy/index.ts';

/** An engine alone, with its own numbers for ids and secrets; a bug fails the test. */
export function engineOf(options: Pick<EngineOptions, 'store' | 'clock'> & Partial<EngineOptions>): Engine {
  let ids = 0;
  return new Engine({
    policies: defaultPolicies,
    executors: [],
    sha256: (text) => text,
    newId: () => `id-${++ids}`,
    newSecret: () => `secret-${++ids}`,
    isAlone: true,
    onBug: (error) => {
      throw error;
    },
    ...options,
  });
}
