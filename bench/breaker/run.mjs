/**
 * One call through a closed breaker, beside opossum and cockatiel in the same run. Theirs wrap a function,
 * so ours wraps one too: acquire, call, report. `npm run bench:breaker`
 */
import { ConsecutiveBreaker, circuitBreaker, handleAll } from 'cockatiel';
import CircuitBreaker from 'opossum';
import { acquire, breakerFor, closedBreaker, report } from '../../packages/core/dist/index.js';
import { defaultPolicies } from '../../packages/server/dist/policy/index.js';

const CALLS = 50_000;
const ROUNDS = 9;

const work = async () => 1;

const policy = breakerFor(defaultPolicies, 'external_api');
let breaker = closedBreaker;
let at = 0;

/** What a caller in the same process does; the clock is read once per call, as the others do. */
async function throughOurs() {
  at = Date.now();
  const asked = acquire(breaker, at, policy);
  breaker = asked.breaker;
  if (asked.answer.kind === 'refused') throw new Error('open');
  const { generation, permitId } = asked.answer;
  try {
    const result = await work();
    breaker = report(breaker, { generation, permitId, outcome: 'success' }, at, 0, policy);
    return result;
  } catch (error) {
    breaker = report(breaker, { generation, permitId, outcome: 'failure' }, at, 0, policy);
    throw error;
  }
}

const opossum = new CircuitBreaker(work, { timeout: false, rollingCountTimeout: 10_000 });
const cockatiel = circuitBreaker(handleAll, { halfOpenAfter: 60_000, breaker: new ConsecutiveBreaker(3) });

const cases = {
  'the bare call': work,
  Holter: throughOurs,
  'cockatiel 3': () => cockatiel.execute(work),
  'opossum 9': () => opossum.fire(),
};

const best = Object.fromEntries(Object.keys(cases).map((name) => [name, Number.POSITIVE_INFINITY]));
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, call] of Object.entries(cases)) {
    const started = performance.now();
    for (let n = 0; n < CALLS; n++) await call();
    best[name] = Math.min(best[name], ((performance.now() - started) * 1e6) / CALLS);
  }
}
opossum.shutdown();

const bare = best['the bare call'];
console.log(`One call through a closed breaker, best of ${ROUNDS} rounds of ${CALLS}\n`);
console.log('what'.padEnd(16), 'ns a call'.padStart(10), 'above bare'.padStart(12));
for (const [name, ns] of Object.entries(best)) {
  console.log(name.padEnd(16), ns.toFixed(0).padStart(10), (ns - bare).toFixed(0).padStart(12));
}
const fastest = Math.min(best['cockatiel 3'], best['opossum 9']);
console.log(`\nHolter / the faster peer: ${(best.Holter / fastest).toFixed(2)} (goal: at most 1)`);
