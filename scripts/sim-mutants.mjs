// `npm run sim:mutants`: takes ten rules out of the core, one at a time, and shows that the simulator notices
// each by an invariant. A rule that can be removed unseen is a rule that nobody checks.
//
// Each mutant is a patch in mutants/, applied to a copy of the core in a temporary folder; the simulator that
// runs it is the built one. The same seeds on the core as it is must be clean.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, setup } from './setup.mjs';

/** Small and hasty: each run holds many troubles and faults, and takes about a second. */
const scenario = { agents: 75, hours: 6, haste: 4 };
const seedsMax = Number(process.env.HOLTER_MUTANT_SEEDS ?? 12);

const runner = `
import { defaultScenario, Simulation } from '@holter/sim';
const [seedsMax, scenario] = JSON.parse(process.argv[2]);
let events = 0;
for (let seed = 1; seed <= seedsMax; seed++) {
  const simulation = new Simulation({ ...defaultScenario, ...scenario, seed });
  const { checker, world } = simulation;
  simulation.run(() => checker.violationCount === 0);
  const [violation] = checker.violations;
  if (violation) {
    console.log(JSON.stringify({ seed, events: events + violation.inputs, ...violation, seed }));
    process.exit(0);
  }
  events += world.monitor.inputs;
}
console.log(JSON.stringify({ events }));
`;

if (!setup()) process.exit(1);
const folder = mkdtempSync(join(tmpdir(), 'holter-mutants-'));
try {
  process.exitCode = main() ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function main() {
  const patches = readdirSync(join(root, 'mutants'))
    .filter((name) => name.endsWith('.patch'))
    .sort();
  say('mutant', 'caught by', 'seed', 'events', 'what the simulator said');
  const original = run(null);
  const isClean = original.invariant === undefined && original.error === undefined;
  say(
    '(the core as it is)',
    isClean ? 'clean' : describe(original),
    '',
    original.events ?? '',
    original.error ?? '',
  );
  let isEachCaught = isClean;
  for (const patch of patches) {
    const result = run(patch);
    isEachCaught &&= result.invariant !== undefined;
    const name = patch.replace(/\.patch$/, '');
    say(name, describe(result), result.seed ?? '', result.events ?? '', result.what ?? result.error ?? '');
  }
  return isEachCaught;
}

function describe({ invariant, error }) {
  if (invariant !== undefined) return `invariant ${invariant}`;
  return error === undefined ? 'NOT CAUGHT' : 'CRASHED';
}

/** Builds the core with the patch and runs the simulator on it, seed by seed, until something breaks. */
function run(patch) {
  const house = join(folder, patch ?? 'original');
  mkdirSync(join(house, 'node_modules', '@holter'), { recursive: true });
  for (const part of ['core', 'sim']) {
    const from = join(root, 'packages', part);
    cpSync(join(from, 'package.json'), join(house, part, 'package.json'));
    cpSync(
      join(from, part === 'core' ? 'src' : 'dist'),
      join(house, part, part === 'core' ? 'src' : 'dist'),
      {
        recursive: true,
      },
    );
    symlinkSync(join(house, part), join(house, 'node_modules', '@holter', part));
  }
  // The simulator's door also names the server; it is not what is being tried here.
  symlinkSync(join(root, 'packages', 'server'), join(house, 'node_modules', '@holter', 'server'));
  if (patch !== null) {
    const file = join(root, 'mutants', patch);
    // The patch names packages/core/src; here the core lies one folder up.
    const applied = spawnSync('git', ['apply', '-p2', file], { cwd: house, encoding: 'utf8' });
    if (applied.status !== 0) return { error: `the patch does not apply: ${applied.stderr.trim()}` };
  }
  const compiled = compile(house);
  if (compiled !== null) return { error: compiled };
  writeFileSync(join(house, 'run.mjs'), runner);
  const ran = spawnSync(process.execPath, [join(house, 'run.mjs'), JSON.stringify([seedsMax, scenario])], {
    encoding: 'utf8',
  });
  if (ran.status !== 0)
    return {
      error: ran.stderr
        .trim()
        .split('\n')
        .find((line) => line.includes('Error')),
    };
  return JSON.parse(ran.stdout);
}

function compile(house) {
  const config = {
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions: {
      rootDir: 'core/src',
      outDir: 'core/dist',
      composite: false,
      declaration: false,
      declarationMap: false,
      sourceMap: false,
      // A rule that was taken out leaves names that nobody uses.
      noUnusedLocals: false,
      noUnusedParameters: false,
    },
    include: ['core/src/**/*.ts'],
    exclude: ['core/src/**/*.test.ts'],
  };
  writeFileSync(join(house, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const done = spawnSync(process.execPath, [tsc, '-p', house], { encoding: 'utf8' });
  return done.status === 0 ? null : `does not compile: ${done.stdout.trim().split('\n')[0]}`;
}

function say(name, caught, seed, events, what) {
  const cells = [
    name.padEnd(30),
    String(caught).padEnd(13),
    String(seed).padStart(4),
    String(events).padStart(9),
  ];
  console.log(`${cells.join('  ')}  ${what}`);
}
