import { expect, it } from 'vitest';
import { exampleAgent, exampleFinding } from '../../test/example-agent.ts';
import { whyHandOver } from './health-check.ts';

it('a run of the Deacon hands over after its cycles, or when its context is nearly full', () => {
  const findings = [{ ...exampleFinding, kind: 'context-exhausted' as const }];
  const deacon = { ...exampleAgent, agentId: 'deacon' };
  expect(whyHandOver([deacon], 29, 30)).toBeNull();
  expect(whyHandOver([deacon], 30, 30)).toBe('after 30 cycles');
  expect(whyHandOver([{ ...deacon, findings }], 3, 30)).toBe('because your context is nearly full');
  expect(whyHandOver([deacon, { ...deacon, agentId: 'ada', findings }], 3, 30)).toBeNull();
  // Somebody else has asked.
  expect(whyHandOver([{ ...deacon, findings }], 0, 30)).toBeNull();
});
