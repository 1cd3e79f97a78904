import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { table } from './compare.ts';
import { evaluateFixtures, evaluateMutants } from './fixtures.ts';
import { missedGoals } from './goals.ts';
import { judgeBand } from './judge-band.ts';
import { ownStories } from './own-stories.ts';
import { perDetector, warnedSuccesses } from './per-detector.ts';
import { loadFolder, loadRuns, type RecordedRun } from './steps-file.ts';
import { explain, judge } from './verdict.ts';
import { writtenRuns } from './written-runs.ts';

/** `npm run eval`: fixtures, mutants of them, and real runs where they are at hand. Fails on any miss, and where a goal is not met. */
const root = process.cwd();
const data = process.env.HOLTER_DATA_DIR ?? join(root, '../shared/data');
const MIXTURES = 20;
const STATE_BYTES_MAX = 8_192;

const fixtures = [...(await loadFolder(join(root, 'tests/fixtures/detect'))), ...writtenRuns, ...ownStories];
const plain = evaluateFixtures(fixtures);
print('Fixtures by theme (passed, worst finding)', plain.lines);

const mutants = evaluateMutants(fixtures, MIXTURES);
print('The same stories with another surface', mutants.lines);

const real = await loadTrajectories();
if (real.length === 0) print('Real runs: skipped', [`no trajectories in ${data}; set HOLTER_DATA_DIR`]);
else {
  const labelled = real.filter((run) => run.header.labels.repetition !== undefined);
  print(`Real runs (${real.length}, of which ${labelled.length} labelled) beside peers' rules`, [
    table(fixtures, labelled, real),
  ]);
  print('By kind of finding', perDetector(real));
  print('Successful runs with a finding', warnedSuccesses(real));
  print('Real runs with an act', actedRuns(real));
  print('Real runs as the judge sees them', judgeBand(real).lines);
}

const bytes = Math.max(...[...fixtures, ...real].map((run) => judge(run.steps).stateBytes));
print('State', [`at most ${bytes} bytes (limit ${STATE_BYTES_MAX})`]);

const goals = real.length === 0 ? [] : [...missedGoals(real), ...judgeBand(real).missed];
for (const goal of goals) console.error(`GOAL ${goal}`);
const misses = [...plain.misses, ...mutants.misses];
for (const miss of misses) console.error(`MISS ${miss.run}\n     ${miss.why}`);
console.log(`\n${fixtures.length} fixtures, ${mutants.total} mutants, ${misses.length} missed`);
process.exitCode = misses.length + goals.length === 0 && bytes <= STATE_BYTES_MAX ? 0 : 1;

function print(title: string, lines: readonly string[]): void {
  console.log(`\n${title}\n${lines.map((line) => `  ${line.replaceAll('\n', '\n  ')}`).join('\n')}`);
}

async function loadTrajectories(): Promise<RecordedRun[]> {
  const runs: RecordedRun[] = [];
  for (const name of ['sola-agents', 'swe-agent-demos', 'tau-gpt4o-airline']) {
    const file = join(data, 'trajectories', `${name}.jsonl`);
    if (existsSync(file)) runs.push(...(await loadRuns(file)));
  }
  return runs;
}

function actedRuns(runs: readonly RecordedRun[]): string[] {
  return runs.flatMap((run) => {
    const verdict = judge(run.steps);
    return verdict.worst === 'act' ? [`${run.header.run} (${run.header.outcome}): ${explain(verdict)}`] : [];
  });
}
