// Several processes that commit at once to one PostgreSQL, each for its own agents, beside as many that insert raw.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const ROUNDS = 3;
const MS = 4_000;

export async function measureServers(url, servers, agents) {
  const each = Math.floor(agents / servers);
  const children = [];
  for (let i = 0; i < servers; i += 1) {
    const args = [url, String(i * each), String(each)];
    const child = fork(fileURLToPath(new URL('./server.mjs', import.meta.url)), args);
    await once(child, 'message');
    children.push(child);
  }
  const rates = { raw: [], own: [] };
  for (let round = 0; round < ROUNDS; round += 1)
    for (const what of ['raw', 'own']) {
      const answers = children.map((child) => once(child, 'message'));
      for (const child of children) child.send({ what, ms: MS });
      const done = (await Promise.all(answers)).map(([{ perSecond }]) => perSecond);
      rates[what].push(done.reduce((sum, rate) => sum + rate, 0));
    }
  const exits = children.map((child) => once(child, 'exit'));
  for (const child of children) child.send('stop');
  await Promise.all(exits);
  const middle = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
  const [own, raw] = [middle(rates.own), middle(rates.raw)];
  return {
    'commits/s of all': Math.round(own),
    'raw commits/s of all': Math.round(raw),
    'commits / raw': (own / raw).toFixed(2),
  };
}
