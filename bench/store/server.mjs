// One of several writers. usage: server.mjs DATABASE FIRST COUNT: the agents that it writes.

import { performance } from 'node:perf_hooks';
import { openPostgresPair } from './postgres.mjs';
import { COMMITS, commitOf, rowsOf, versionsIn } from './rows.mjs';

const [url, ...numbers] = process.argv.slice(2);
const [first, count] = numbers.map(Number);
const pair = await openPostgresPair(url);
const versions = await versionsIn(pair.store, first, count);
const size = Math.min(COMMITS, count);
let next = 0;

const batch = () =>
  Array.from({ length: size }, () => {
    next = (next + 1) % count;
    return commitOf(`agent-${first + next}`, versions[next]);
  });

const write = {
  raw: (commits) => pair.insertCommits(commits.map((commit) => rowsOf(commit, commit.agent.hard.agentId))),
  own: async (commits) => {
    const verdicts = await pair.store.commit(commits);
    if (verdicts.some(({ kind }) => kind !== 'ok')) throw new Error('a conflict');
    for (const { agent } of commits) versions[Number(agent.hard.agentId.slice('agent-'.length)) - first] += 1;
  },
};

process.on('message', async (message) => {
  if (message === 'stop') {
    await pair.close();
    process.exit(0);
  }
  const from = performance.now();
  let commits = 0;
  while (performance.now() - from < message.ms) {
    await write[message.what](batch());
    commits += size;
  }
  process.send({ perSecond: commits / ((performance.now() - from) / 1_000) });
});
process.send('ready');
