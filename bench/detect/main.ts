import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import type { AgentStep } from '../../packages/core/src/detect/index.ts';
import { defaultDetectionPolicy, emptyDetectorState, observe } from '../../packages/core/src/detect/index.ts';
import { ALL } from './peers/all.ts';
import type { Peer } from './peers/peer.ts';

/** The cost of a step compared with the rules of peers on the same steps, and whether it grows with the run. */
const LONG = 100_000;
const CPU_MAX_US = 60_000_000;
const ROUNDS = 20;
const WARM_UP = 8;

const runs = readRuns('tests/fixtures/detect/dev.jsonl');
console.log(
  `\nCost per step over ${runs.length} runs (µs): every step of ${ROUNDS - WARM_UP} rounds, and each step's best of them`,
);
console.log(`  load average ${loadavg()[0]?.toFixed(1)}`);
console.log('  rule                       p50     p90     p99    best: p50     p90     p99');
for (const peer of ALL) {
  const { plain, best } = measure(peer, runs);
  console.log(`  ${peer.name.padEnd(24)} ${quantiles(plain)}       ${quantiles(best)}`);
}

console.log(`\nOne agent, ${LONG} steps (µs per step, p50 of each fifth; state in bytes)`);
const steps = longRun(LONG);
for (const peer of ALL) {
  const judge = peer.begin();
  const fifths: string[] = [];
  let micros: number[] = [];
  const spent = process.cpuUsage();
  for (const [index, step] of steps.entries()) {
    const start = process.hrtime.bigint();
    judge(step);
    micros.push(Number(process.hrtime.bigint() - start) / 1_000);
    if ((index + 1) % (LONG / 5) !== 0) continue;
    fifths.push(at(micros, 0.5).toFixed(2).padStart(7));
    micros = [];
    // CPU time: other programs on the machine must not end the run.
    if (process.cpuUsage(spent).user <= CPU_MAX_US) continue;
    fifths.push(`stopped after ${index + 1} steps: too slow`);
    break;
  }
  console.log(`  ${peer.name.padEnd(24)} ${fifths.join(' ')}`);
}
let state = emptyDetectorState;
let bytes = 0;
for (const [index, step] of steps.entries()) {
  state = observe(state, step, defaultDetectionPolicy).state;
  if (index % 1_000 === 0) bytes = Math.max(bytes, JSON.stringify(state).length);
}
console.log(`  Holter's state: at most ${bytes} bytes`);

function readRuns(file: string): AgentStep[][] {
  const found: AgentStep[][] = [];
  for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
    const parsed = JSON.parse(line) as AgentStep | { format: string };
    if ('format' in parsed) found.push([]);
    else found.at(-1)?.push(parsed);
  }
  return found;
}

function quantiles(micros: readonly number[]): string {
  const sorted = [...micros].sort((a, b) => a - b);
  return [0.5, 0.9, 0.99].map((quantile) => at(sorted, quantile).toFixed(2).padStart(7)).join(' ');
}

type Measured = {
  readonly plain: readonly number[];
  /** Of each step in all rounds, which excludes other load on the machine. */
  readonly best: readonly number[];
};

function measure(peer: Peer, all: readonly (readonly AgentStep[])[]): Measured {
  const plain: number[] = [];
  const best: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    let index = 0;
    for (const run of all) {
      const judge = peer.begin();
      for (const step of run) {
        const start = process.hrtime.bigint();
        judge(step);
        const took = Number(process.hrtime.bigint() - start) / 1_000;
        if (round >= WARM_UP) plain.push(took);
        if (round === WARM_UP) best.push(took);
        else if (round > WARM_UP) best[index] = Math.min(best[index] ?? took, took);
        index += 1;
      }
    }
  }
  return { plain, best };
}

/** Repeats the fixtures one after the other, on one clock. */
function longRun(count: number): AgentStep[] {
  const flat = runs.flat();
  return Array.from({ length: count }, (_, index) => {
    const step = flat[index % flat.length] as AgentStep;
    return { ...step, at: (index * 5_000) as never };
  });
}

function at(values: readonly number[], quantile: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * quantile))] ?? 0;
}
