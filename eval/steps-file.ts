import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { AgentStep } from '../packages/core/src/detect/index.ts';

/** `holter.steps.v1`: a header line, then its step lines. */
export type Expectation = { min: Level; max: Level; by: number | null };
export type Level = 'none' | 'warn' | 'act';

export type Header = {
  readonly format: string;
  readonly run: string;
  readonly outcome: 'success' | 'failure' | 'unknown';
  readonly labels: { readonly theme?: string; readonly repetition?: readonly number[] };
  readonly expect: Expectation | null;
  readonly about: string;
};

export type RecordedStep = AgentStep & { readonly i: number };
export type RecordedRun = { readonly header: Header; readonly steps: RecordedStep[] };

export async function* readRuns(file: string): AsyncGenerator<RecordedRun> {
  let current: RecordedRun | null = null;
  for await (const line of createInterface({
    input: createReadStream(file),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    if (line.trim() === '') continue;
    const parsed = JSON.parse(line) as Header | RecordedStep;
    if ('format' in parsed) {
      if (current !== null) yield current;
      current = { header: parsed, steps: [] };
    } else current?.steps.push(parsed);
  }
  if (current !== null) yield current;
}

export async function loadRuns(file: string): Promise<RecordedRun[]> {
  const runs: RecordedRun[] = [];
  for await (const run of readRuns(file)) runs.push(run);
  return runs;
}

/** The runs of every file in a folder. */
export async function loadFolder(folder: string): Promise<RecordedRun[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jsonl')).sort();
  return (await Promise.all(names.map((name) => loadRuns(join(folder, name))))).flat();
}
