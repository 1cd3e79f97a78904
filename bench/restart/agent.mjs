// Reads its state, reports when it runs with it, and continues to save it.
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

const [state, log] = process.argv.slice(2);
let count = existsSync(state) ? JSON.parse(readFileSync(state, 'utf8')).count : 0;
appendFileSync(log, `${JSON.stringify({ pid: process.pid, at: Date.now(), count })}\n`);
setInterval(() => {
  count += 1;
  writeFileSync(`${state}.new`, JSON.stringify({ count }));
  renameSync(`${state}.new`, state);
}, 10);
