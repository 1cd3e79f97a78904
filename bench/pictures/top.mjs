// `npm run pictures:top`: docs/images/top-80x24.svg and top-200x50.svg, `holter top` with the agents of the demo.

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { demoStage } from '../page/stages.mjs';
import { writeTickets } from './tickets.mjs';

const DEMO_SECONDS = 100;
const DRAWN_MS = 8_000;
const SIZES = [
  [80, 24],
  [200, 50],
];
const inRepository = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const SOCKET = `holter-top-picture-${process.pid}`;
const tmux = (...args) =>
  execFileSync('tmux', ['-L', SOCKET, '-f', '/dev/null', ...args], { encoding: 'utf8' });

const demo = await demoStage();
try {
  await wait(DEMO_SECONDS * 1_000);
  for (const [columns, rows] of SIZES) {
    const words = ['env', `HOLTER_URL=${demo.url}`, `HOLTER_TOKEN=${demo.token}`, 'TERM=screen-256color'];
    const command = [...words, process.execPath, inRepository('packages/holter/dist/main.js'), 'top'];
    const name = `${columns}x${rows}`;
    tmux('new-session', '-d', '-s', name, '-x', String(columns), '-y', String(rows), ...command);
  }
  await wait(DRAWN_MS);
  await writeTickets(demo);
  await wait(DRAWN_MS);
  for (const [columns, rows] of SIZES) {
    const name = `${columns}x${rows}`;
    const screen = tmux('capture-pane', '-e', '-p', '-t', `=${name}:`);
    const title = `holter top with 25 agents at ${columns}×${rows}`;
    const picture = inRepository('scripts/terminal-picture.mjs');
    const file = inRepository(`docs/images/top-${name}.svg`);
    writeFileSync(file, execFileSync(process.execPath, [picture, title], { input: screen }));
    console.log(file);
  }
} finally {
  tmux('kill-server');
  await demo.end();
}
