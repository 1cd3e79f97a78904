// `npm run bench:in-process`: what watching idle agents costs, compared with a timer per agent (seed-monitor.mjs) in
// the same run. Each measurement is a separate process; all of one size run at once, so that other load affects them
// alike, and the median counts. The cost of an empty Node process is subtracted. Goal: at most a tenth of the CPU of
// the other design. Takes about 40 s.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const subject = fileURLToPath(new URL('./subject.mjs', import.meta.url));

function measure(design, count, seconds) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--expose-gc', subject, design, count, seconds], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    child.on('close', (code) =>
      code === 0 ? resolve(JSON.parse(text)) : reject(new Error(`${design} failed`)),
    );
  });
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

async function measureAll(designs, count, seconds, times) {
  const jobs = designs.flatMap((design) =>
    Array.from({ length: times }, () => measure(design, count, seconds)),
  );
  const runs = await Promise.all(jobs);
  return (design, field) => median(runs.filter((run) => run.design === design).map((run) => run[field]));
}

async function compare({ count, seconds, times, designs }) {
  const cpu = await measureAll(['nothing', ...designs], count, seconds, times);
  const memory = await measureAll(designs, count, 0, 1);
  const cost = (design) => Math.max(0, cpu(design, 'share') - cpu('nothing', 'share'));
  return designs.map((design) => ({
    agents: count,
    design,
    'CPU % of a core': (cost(design) * 100).toFixed(4),
    'seed takes': `${(cost('seed') / cost(design)).toFixed(1)} x`,
    'bytes per agent': Math.round(memory(design, 'bytesPerAgent')),
  }));
}

const rows = [
  ...(await compare({ count: 100, seconds: 10, times: 5, designs: ['seed', 'holter', 'holter+watchdog'] })),
  ...(await compare({ count: 10_000, seconds: 8, times: 3, designs: ['seed', 'holter'] })),
];
console.table(rows);
const isMet = rows.every((row) => row.design !== 'holter' || Number.parseFloat(row['seed takes']) >= 10);
console.log(isMet ? 'goal met: at most 1/10 of the CPU of a timer per agent' : 'goal missed: more than 1/10');
