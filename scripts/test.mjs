// `npm test [-- vitest arguments]`: sets up what is missing, then runs every check in order and stops at the
// first that fails. The last line is always `N passed, M failed`.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { runTool, seconds, setup } from './setup.mjs';
import { ensure } from './system-packages.mjs';

if (!setup()) {
  console.log('\nFAILED: set-up. No check was run.\n0 passed, 1 failed');
  process.exit(1);
}

// Tests of the page, of terminals and of alert rules read these paths; without them they do not run. PostgreSQL is found
// again by the tests that start it.
process.env.HOLTER_BROWSER = ensure('chromium') ?? '';
process.env.HOLTER_TMUX = ensure('tmux') ?? '';
ensure('jq');
process.env.HOLTER_PROMETHEUS = ensure('prometheus') ?? '';
if (!process.env.HOLTER_TEST_POSTGRES) ensure('postgresql');

const folder = mkdtempSync(join(tmpdir(), 'holter-test-'));
const reports = [];

/** One run of Vitest over one project; its counts are read from its report. */
function vitest(project, ...options) {
  const report = join(folder, `${project}.json`);
  reports.push(report);
  return [
    'run',
    '--project',
    project,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...options,
    ...process.argv.slice(2),
  ];
}

// By default Biome colours its output even if it goes into a file.
const biomeArgs = [
  'ci',
  '--error-on-warnings',
  process.stdout.isTTY ? '--colors=force' : '--colors=off',
  '.',
];

const steps = [
  {
    name: 'lint and format',
    tool: '@biomejs/biome/bin/biome',
    args: biomeArgs,
    fix: 'npm run format',
  },
  { name: 'types of the tests', tool: 'typescript/bin/tsc', args: ['-p', 'tsconfig.test.json'] },
  // Real parts run separately: beside CPU-bound property tests their real-time measurements would fail.
  {
    name: 'rules, stories and simulation',
    tool: 'vitest/vitest.mjs',
    // By default Vitest leaves one core free, which is half of a small machine; and some tests only wait.
    args: vitest('rules', '--project', 'timeless', `--maxWorkers=${availableParallelism() + 1}`),
  },
  // Most of them wait for a process or a moment: two at a time take little more than one.
  {
    name: 'real parts',
    tool: 'vitest/vitest.mjs',
    args: vitest('real-parts', `--maxWorkers=${availableParallelism()}`),
  },
  { name: 'real parts in real time', tool: 'vitest/vitest.mjs', args: vitest('timed', '--maxWorkers=1') },
];

const failedStep = steps.find((step) => !passes(step));
const counts = countTests(failedStep);
rmSync(folder, { recursive: true });

if (failedStep) {
  const fix = failedStep.fix ? ` (try: ${failedStep.fix})` : '';
  console.log(`\nFAILED: ${failedStep.name}${fix}. Steps after it were not run.`);
  for (const test of counts.failures) console.log(`  ${test}`);
} else {
  console.log('\nAll checks passed.');
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = failedStep ? 1 : 0;

function passes(step) {
  console.log(`\n== ${step.name}`);
  const started = Date.now();
  const status = runTool(step.tool, step.args);
  console.log(`== ${step.name}: ${status === 0 ? 'passed' : 'FAILED'} in ${seconds(started)}`);
  return status === 0;
}

/** A step that fails without a failed test (lint, types, a test file that does not load) counts as one failure. */
function countTests(failed) {
  const counts = { passed: 0, failed: 0, failures: [] };
  for (const file of reports.filter((report) => existsSync(report))) {
    const report = JSON.parse(readFileSync(file, 'utf8'));
    const unloaded = report.testResults.filter(
      (result) => result.status === 'failed' && result.assertionResults.length === 0,
    );
    counts.passed += report.numPassedTests;
    counts.failed += report.numFailedTests + unloaded.length;
    for (const { name, assertionResults } of report.testResults)
      for (const { status, fullName } of assertionResults)
        if (status === 'failed') counts.failures.push(`${relative(process.cwd(), name)}: ${fullName}`);
  }
  return { ...counts, failed: Math.max(failed ? 1 : 0, counts.failed) };
}
