import { describe, expect, it } from 'vitest';
import { instant } from '../base/time.ts';
import { fleetDefaults } from '../policy/defaults.ts';
import type { Ask } from '../vocabulary/ask.ts';
import { admit } from './guard.ts';
import { heldGuard } from './held.ts';

const at = instant(1_000_000);
const ask = (kind: Ask['kind'], more: object = {}): Ask =>
  ({
    kind,
    agentId: 'ada',
    group: 'crew',
    effectId: 'ada/1',
    hasKept: true,
    intervalMs: 60_000,
    ...more,
  }) as Ask;
const admission = (asked: Ask): string =>
  admit(heldGuard('crew', at), asked, { at, groupSize: 1, policy: fleetDefaults }).admission.kind;

describe('a fleet that a person has stopped', () => {
  it.each(['nudge', 'notice', 'terminate', 'start'] as const)('defers a %s', (kind) => {
    expect(admission(ask(kind))).toBe('deferred');
  });

  it.each(['terminate', 'start'] as const)('admits a %s that a person has ordered', (kind) => {
    expect(admission(ask(kind, { isOrdered: true }))).toBe('granted');
  });
});
