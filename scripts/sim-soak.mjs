// `npm run sim:soak -- ARGS`: seeds for half an hour or a million agent-hours, on every core, and at the end
// what was exercised and what was not.

import { parseArgs } from 'node:util';
import { setup } from './setup.mjs';

const help = `Usage: npm run sim:soak -- [options]

Runs simulated fleets, one seed after the other, and checks every invariant. Ends with how often each rule,
transition, step and fault was exercised; what never was is listed, with its reason.

  --minutes <n>      for so long (30, unless another end is given)
  --agent-hours <n>  until so many agent-hours are simulated
  --seeds <n>        so many seeds
  --seed <n>         the first seed (1)
  --workers <n>      threads (2)
  --only <kind>      world (pure rules, the quickest by far), engine or mail; all three, unless given
  --json             one line of JSON at the end, nothing else on the output
  --help

Exit codes: 0 clean, 1 an invariant was broken, 2 usage, 3 something was never exercised and nobody says why.

Examples:
  npm run sim:soak -- --minutes 30
  npm run sim:soak -- --agent-hours 1000000 --seed 5000 --only world
  npm run sim:soak -- --seeds 20 --json
`;

/** The options with their defaults, or null after printing what is wrong. */
function readOptions(args) {
  const number = { type: 'string' };
  const { values } = parseArgs({
    args,
    options: {
      minutes: number,
      'agent-hours': number,
      seeds: number,
      seed: number,
      workers: number,
      only: { type: 'string' },
      json: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  const read = (name, low, high) => {
    if (values[name] === undefined) return undefined;
    const value = Number(values[name]);
    if (value >= low && value <= high) return value;
    throw new RangeError(`--${name} is a number from ${low} to ${high}`);
  };
  const whole = (name, low, high) => {
    const value = read(name, low, high);
    if (value === undefined || Number.isInteger(value)) return value;
    throw new RangeError(`--${name} is a whole number from ${low} to ${high}`);
  };
  const minutes = read('minutes', 0.01, 60 * 24 * 7);
  const agentHours = read('agent-hours', 1, 1e12);
  const seeds = whole('seeds', 1, 1e9);
  const hasEnd = minutes !== undefined || agentHours !== undefined || seeds !== undefined;
  const seconds = hasEnd ? (minutes === undefined ? undefined : minutes * 60) : 30 * 60;
  return {
    isHelp: values.help === true,
    isJson: values.json === true,
    workers: whole('workers', 1, 64) ?? 2,
    only: values.only,
    limits: {
      firstSeed: whole('seed', 0, 2 ** 31) ?? 1,
      ...(seconds !== undefined && { seconds }),
      ...(agentHours !== undefined && { agentHours }),
      ...(seeds !== undefined && { seeds }),
    },
  };
}

async function main(options) {
  const { progressLine, SEED_KINDS, Soak, soakExit, soakJson, soakReport, seedThread, violationLines } =
    await import('../packages/sim/dist/soak/index.js');
  if (options.only !== undefined && !SEED_KINDS.includes(options.only)) {
    process.stderr.write(`--only is one of ${SEED_KINDS.join(', ')}\n`);
    return 2;
  }
  const isWatched = process.stderr.isTTY === true;
  let told = 0;
  const soak = new Soak(
    Array.from({ length: options.workers }, () => seedThread(options.only)),
    options.limits,
    {
      secondsNow: () => performance.now() / 1_000,
      progressed: (totals, seconds) => {
        if (isWatched) process.stderr.write('\r\u001b[2K');
        for (const { seed, ...violation } of totals.violations.slice(told))
          process.stderr.write(`${violationLines(violation, seed)}\n`);
        told = totals.violations.length;
        if (isWatched) process.stderr.write(progressLine(totals, seconds, options.limits));
      },
    },
  );
  process.once('SIGINT', () => void soak.stop());
  const totals = await soak.run();
  if (isWatched) process.stderr.write('\r\u001b[2K');
  const say = options.isJson ? soakJson : soakReport;
  process.stdout.write(`${say(totals, soak.seconds)}\n`);
  return soakExit(totals);
}

let options = null;
try {
  options = readOptions(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error.message}\nSee npm run sim:soak -- --help\n`);
  process.exitCode = 2;
}
if (options?.isHelp) process.stdout.write(help);
else if (options !== null) process.exitCode = setup() ? await main(options) : 1;
