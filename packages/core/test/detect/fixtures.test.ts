import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { AgentStep } from '../../src/detect/index.ts';
import { judge, type Level, rankOf } from './runs.ts';

type Header = { format: string; run: string; expect: { min: Level; max: Level; by: number | null } };

/** Every fixture meets its expectation. `npm run eval` shows more: tables, mutants, real runs, peers. */
const runs: { header: Header; steps: AgentStep[] }[] = [];
const file = new URL('../../../../tests/fixtures/detect/dev.jsonl', import.meta.url);
for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
  const parsed = JSON.parse(line) as Header | AgentStep;
  if ('format' in parsed) runs.push({ header: parsed, steps: [] });
  else runs.at(-1)?.steps.push(parsed);
}

test.each(runs.map(({ header, steps }) => [header.run, header.expect, steps] as const))(
  '%s',
  (_, wanted, steps) => {
    const { worst, firstAct } = judge(steps);
    expect(rankOf(worst)).toBeGreaterThanOrEqual(rankOf(wanted.min));
    expect(rankOf(worst)).toBeLessThanOrEqual(rankOf(wanted.max));
    if (wanted.by !== null) expect(firstAct ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(wanted.by);
  },
);
