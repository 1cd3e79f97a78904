import { readdirSync, readFileSync } from 'node:fs';
import type { AgentStep } from '../../src/detect/index.ts';
import type { Level } from './runs.ts';

type Header = {
  readonly format: string;
  readonly run: string;
  readonly expect: { readonly min: Level; readonly max: Level; readonly by: number | null };
};

/** Every run of `tests/fixtures/detect`. */
export function readFixtures(): { readonly header: Header; readonly steps: AgentStep[] }[] {
  const runs: { header: Header; steps: AgentStep[] }[] = [];
  const folder = new URL('../../../../tests/fixtures/detect/', import.meta.url);
  const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  for (const name of names.sort()) {
    for (const line of readFileSync(new URL(name, folder), 'utf8').trim().split('\n')) {
      const parsed = JSON.parse(line) as Header | AgentStep;
      if ('format' in parsed) runs.push({ header: parsed, steps: [] });
      else runs.at(-1)?.steps.push(parsed);
    }
  }
  return runs;
}
