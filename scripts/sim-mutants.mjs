// `npm run sim:mutants [-- NAME…]`: takes rules out, one at a time, and shows that the simulator notices each by
// an invariant. A rule that can be removed without a violation is not tested.
//
// Each mutant is a patch in mutants/ to packages/core or packages/server, applied to a copy in a temporary
// folder; its first line says which runs judge it (`# runs: world`, `siege`, `tickets`, `engine`, `mail` or `chain`). The simulator that runs
// it is the built one. The same runs on the rules as they are must be clean.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, setup } from './setup.mjs';

/** Small worlds with many faults: each run takes about a second. */
const worlds = {
  world: { agents: 75, hours: 6, haste: 4 },
  // A judge that is always wrong, and nothing else.
  tickets: { agents: 60, hours: 4, haste: 6, faults: ['tickets'] },
  // Adversaries that work together against their groups.
  siege: { agents: 50, hours: 1.5, haste: 8, faults: ['noise'], only: ['braker', 'looper'] },
};
const seedsMax = Number(process.env.HOLTER_MUTANT_SEEDS ?? 24);
const atOnce = Number(process.env.HOLTER_MUTANTS_AT_ONCE ?? 2);

/** Seed by seed until something breaks. Each module answers with one line of JSON. */
const worldRunner = `
import { defaultScenario, Simulation } from '@holter/sim';
const [seedsMax, scenario] = JSON.parse(process.argv[2]);
let events = 0;
for (let seed = 1; seed <= seedsMax; seed++) {
  const simulation = new Simulation({ ...defaultScenario, ...scenario, seed });
  try {
    simulation.run(() => simulation.violationCount === 0);
  } catch (error) {
    // A core that throws has broken a promise too.
    console.log(JSON.stringify({ seed, invariant: 'of the core', what: error.message, events }));
    process.exit(0);
  }
  const [violation] = simulation.violations;
  if (violation) {
    const { invariant, agentId, what, inputs } = violation;
    console.log(JSON.stringify({ seed, invariant, what: agentId + ': ' + what, events: events + inputs }));
    process.exit(0);
  }
  events += simulation.world.monitor.inputs;
}
console.log(JSON.stringify({ events }));
`;

/** Runs seed after seed until one has a violation. The words name exports of the simulator. */
const seedRunner = (scenario, run, changes = '{}') => `
import { ${scenario}, ${run} } from '@holter/sim';
const [seedsMax] = JSON.parse(process.argv[2]);
let events = 0;
for (let seed = 1; seed <= seedsMax; seed++) {
  const run = await ${run}({ ...${scenario}, ...${changes}, seed });
  events += run.events;
  const [violation] = run.violations;
  if (violation) {
    const { invariant, agentId, what } = violation;
    console.log(JSON.stringify({ seed, invariant, what: agentId + ': ' + what, events }));
    process.exit(0);
  }
}
console.log(JSON.stringify({ events }));
`;

const runners = {
  world: worldRunner,
  siege: worldRunner,
  tickets: worldRunner,
  engine: seedRunner('defaultEngineScenario', 'runEngineSeed', '{ hours: 5 }'),
  mail: seedRunner('defaultMailScenario', 'runMailSeed'),
  chain: seedRunner('defaultChainScenario', 'runChainSeed', '{ days: 5 }'),
};

if (!setup()) process.exit(1);
const folder = await mkdtemp(join(tmpdir(), 'holter-mutants-'));
try {
  process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function main(wanted) {
  const mutants = await readMutants(wanted);
  if (mutants.length === 0) {
    console.error(`No mutant is called ${wanted.join(' or ')}; those in mutants/ are.`);
    return false;
  }
  const kinds = [...new Set(mutants.map(({ runs }) => runs))];
  say('mutant', 'caught by', 'seed', 'events', 'what the simulator said');
  const asTheyAre = kinds.map((runs) => ({ name: `(the rules as they are, ${runs})`, runs, patch: null }));
  let caught = 0;
  let isClean = true;
  await inParallel([...asTheyAre, ...mutants], async (mutant) => {
    const result = await run(mutant);
    const { invariant, error, seed = '', events = '', what } = result;
    const isOriginal = mutant.patch === null;
    if (isOriginal) isClean &&= error === undefined && invariant === undefined;
    else if (error === undefined && invariant !== undefined) caught++;
    say(mutant.name, describe(result, isOriginal), seed, events, what ?? error ?? '');
  });
  console.log(
    `${caught} of ${mutants.length} caught; the rules as they are: ${isClean ? 'clean' : 'NOT clean'}`,
  );
  return isClean && caught === mutants.length;
}

async function readMutants(wanted) {
  const names = (await readdir(join(root, 'mutants'))).filter((name) => name.endsWith('.patch')).sort();
  const picked = names.filter((name) => wanted.length === 0 || wanted.some((word) => name.includes(word)));
  return Promise.all(
    picked.map(async (name) => {
      const patch = join(root, 'mutants', name);
      const text = await readFile(patch, 'utf8');
      const runs = /^# runs: (\w+)$/m.exec(text)?.[1] ?? 'world';
      if (!Object.hasOwn(runners, runs)) throw new Error(`${name}: unknown kind of runs ${runs}`);
      const parts = new Set([...text.matchAll(/^--- a\/packages\/(\w+)\//gm)].map(([, part]) => part));
      return { name: name.replace(/\.patch$/, ''), runs, patch, parts };
    }),
  );
}

/** Runs at most this many jobs at a time; the results are in the order of the jobs. */
async function inParallel(items, work) {
  const rest = [...items];
  const worker = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

function describe({ invariant, error }, isOriginal) {
  if (error !== undefined) return 'CRASHED';
  if (invariant !== undefined) return isOriginal ? `BROKEN: ${invariant}` : `invariant ${invariant}`;
  return isOriginal ? 'clean' : 'NOT CAUGHT';
}

/** Builds a copy with the patched package and the other packages as built, and runs the simulator in it. */
async function run({ name, runs, patch, parts = new Set() }) {
  const house = join(folder, name.replace(/\W+/g, '-'));
  await furnish(house, parts);
  if (patch !== null) {
    // The patch names packages/core/src; here the core lies one folder up.
    const applied = await command('git', ['apply', '-p2', patch], house);
    if (applied.status !== 0) return { error: `the patch does not apply: ${applied.stderr.trim()}` };
    for (const part of ['core', 'server'].filter((each) => parts.has(each))) {
      const failed = await compile(house, part);
      if (failed !== null) return { error: failed };
    }
  }
  await writeFile(join(house, 'run.mjs'), runners[runs]);
  const options = JSON.stringify([seedsMax, worlds[runs]]);
  const ran = await command(process.execPath, [join(house, 'run.mjs'), options], house);
  if (ran.status === 0) return JSON.parse(ran.stdout);
  const lines = ran.stderr.trim().split('\n');
  return { error: lines.find((line) => line.includes('Error')) ?? lines.at(-1) ?? 'no word' };
}

/**
 * Copies the built packages, because Node resolves imports from the real path of a file and would leave a folder of
 * links. The package to be patched is copied with its source.
 */
async function furnish(house, parts) {
  const modules = join(house, 'node_modules');
  await mkdir(join(modules, '@holter'), { recursive: true });
  for (const entry of await readdir(join(root, 'node_modules'))) {
    if (entry !== '@holter' && !entry.startsWith('.'))
      await symlink(join(root, 'node_modules', entry), join(modules, entry));
  }
  for (const part of ['core', 'agent', 'server', 'sim']) {
    const from = join(root, 'packages', part);
    const to = join(house, part);
    for (const piece of ['package.json', 'dist', ...(parts.has(part) ? ['src'] : [])]) {
      if (existsSync(join(from, piece))) await cp(join(from, piece), join(to, piece), { recursive: true });
    }
    await symlink(to, join(modules, '@holter', part));
  }
}

async function compile(house, part) {
  const config = {
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions: {
      rootDir: `${part}/src`,
      outDir: `${part}/dist`,
      composite: false,
      declarationMap: false,
      sourceMap: false,
      // A removed rule leaves unused names behind.
      noUnusedLocals: false,
      noUnusedParameters: false,
      ...(part === 'server' && { types: ['node'] }),
    },
    include: [`${part}/src/**/*.ts`],
    // What needs the test folders is not part of the build.
    exclude: ['*.test.ts', 'contract.ts', 'contract/**'].map((files) => `${part}/src/**/${files}`),
  };
  const file = join(house, `tsconfig.${part}.json`);
  await writeFile(file, JSON.stringify(config));
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const done = await command(process.execPath, [tsc, '-p', file], house);
  return done.status === 0 ? null : `does not compile: ${done.stdout.trim().split('\n')[0]}`;
}

function command(file, args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    const out = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr']) {
      child[name].setEncoding('utf8').on('data', (text) => {
        out[name] += text;
      });
    }
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, ...out }));
  });
}

function say(name, caught, seed, events, what) {
  const cells = [
    name.padEnd(34),
    String(caught).padEnd(13),
    String(seed).padStart(4),
    String(events).padStart(9),
  ];
  console.log(`${cells.join('  ')}  ${what}`);
}
