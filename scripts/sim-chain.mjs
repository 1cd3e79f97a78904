// `npm run sim:chain [-- --days 30 --seeds 3 --seed 1]`: simulated months of the watchdog chain, with its faults. Prints
// what happened how often; exit 1 when somebody was wrongly killed, or a dead link did not come back in time.

import { parseArgs } from 'node:util';
import { setup } from './setup.mjs';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '3' },
    days: { type: 'string', default: '30' },
  },
});
const [first, count, days] = [values.seed, values.seeds, values.days].map(Number);
if (![first, count, days].every((number) => number > 0)) {
  console.error('--seed, --seeds and --days take numbers above 0');
  process.exit(2);
}
if (!setup()) process.exit(1);
const { runChainSeed } = await import('../packages/sim/dist/index.js');
const total = new Map();
let ticks = 0;
for (let seed = first; seed < first + count; seed += 1) {
  const { violations, events, seen } = runChainSeed({ seed, days });
  ticks += events;
  for (const [what, times] of seen) total.set(what, (total.get(what) ?? 0) + times);
  for (const { agentId, at, what } of violations) {
    console.error(`seed ${seed}, after ${(at / 3_600_000).toFixed(1)} h: ${agentId} ${what}`);
    process.exitCode = 1;
  }
}
for (const [what, times] of [...total].sort()) console.log(`${String(times).padStart(8)}  ${what}`);
console.log(`${count} x ${days} days, ${ticks} ticks: ${process.exitCode ? 'NOT clean' : 'clean'}`);
