import { expect, it } from 'vitest';
import { eventLine } from './event-line.ts';

const at = Date.UTC(2026, 10, 18, 6, 30);

it.each([
  [{ kind: 'silence', lateMs: 0 }, 'kind=silence'],
  [{ kind: 'silence', lateMs: 2_400 }, 'kind=silence late="2 s"'],
  [{ until: at + 90_000.3953, by: 'ines' }, 'until="2026-11-18 06:31:30" by=ines'],
  [{ reason: 'done', tokens: 2_040, costUsd: 0 }, 'reason=done tokens=2040'],
  [{ reason: 'done', tokens: 0, costUsd: 1.5 }, 'reason=done cost=$1.50'],
  [{ attempt: 2, checkpointId: null, findings: ['a'] }, 'attempt=2 findings=["a"]'],
])('tells times, durations and costs of %j in words', (payload, words) => {
  const event = { at, agentId: 'ada', type: 'NOTED', payload } as unknown as Parameters<typeof eventLine>[0];
  const line = eventLine(event, Number.POSITIVE_INFINITY, (_colour, text) => text);
  expect(line).toBe(`06:30:00  ada  NOTED  ${words}`);
});
