// `npm test [-- vitest arguments]`: sets up what is missing, then runs every check in order and stops at the
// first that fails. The last line is always `N passed, M failed`.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTool, seconds, setup } from './setup.mjs';

if (!setup()) {
  console.log('\nFAILED: set-up. No check was run.\n0 passed, 1 failed');
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), 'holter-test-'));
const reportFile = join(folder, 'vitest.json');
const vitestArgs = [
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${reportFile}`,
  ...process.argv.slice(2),
];

// Biome colours even what goes into a file.
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
  { name: 'tests', tool: 'vitest/vitest.mjs', args: vitestArgs },
];

const failedStep = steps.find((step) => !passes(step));
const counts = countTests(failedStep);
rmSync(folder, { recursive: true });

if (failedStep) {
  const fix = failedStep.fix ? ` (try: ${failedStep.fix})` : '';
  console.log(`\nFAILED: ${failedStep.name}${fix}. Steps after it were not run.`);
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
  const atLeast = failed ? 1 : 0;
  if (!existsSync(reportFile)) return { passed: 0, failed: atLeast };
  const report = JSON.parse(readFileSync(reportFile, 'utf8'));
  const unloaded = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  );
  return {
    passed: report.numPassedTests,
    failed: Math.max(atLeast, report.numFailedTests + unloaded.length),
  };
}
