// How much memory the server takes while one agent writes 153 checkpoints of 3.9 MB, and 24 readers at once ask for
// 100 of them each. Fails above 500 MB.

import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [WRITTEN, READERS, BYTES, LIMIT_MB] = [153, 24, 3_900_000, 500];

const child = fork(fileURLToPath(new URL('../server/holter.mjs', import.meta.url)));
const { port, tokens } = await new Promise((resolve) => child.once('message', resolve));
const url = `http://127.0.0.1:${port}`;

/** The highest that the kernel saw, where it says so; else the highest of what is looked at. */
let seenMb = 0;
function peakMb() {
  try {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)[1]) / 1024;
  } catch {
    return seenMb;
  }
}
child.on('message', ({ rss }) => {
  seenMb = Math.max(seenMb, rss / 2 ** 20);
});
const watching = setInterval(() => child.send('cpu'), 100);

const ask = async (method, path, token, body) => {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  let bytes = 0;
  if (method === 'POST') return { status: response.status, json: await response.json() };
  for await (const chunk of response.body) bytes += chunk.length;
  return { status: response.status, bytes };
};

const { json } = await ask('POST', '/v1/agents', tokens.enroll, { agentId: 'ada', instanceId: 'i' });
const text = 'x'.repeat(BYTES);
for (let n = 0; n < WRITTEN; n += 1) {
  const { status } = await ask('POST', '/v1/agents/ada/checkpoints', json.token, { content: { n, text } });
  if (status !== 201) throw new Error(`checkpoint ${n}: ${status}`);
}
console.log(
  `${WRITTEN} checkpoints of ${BYTES / 1e6} MB written: at most ${peakMb().toFixed(0)} MB in memory`,
);
const read = await Promise.all(
  Array.from({ length: READERS }, () => ask('GET', '/v1/agents/ada/checkpoints?limit=100', tokens.operator)),
);
const total = read.reduce((sum, { bytes }) => sum + bytes, 0);
console.log(
  `${READERS} readers at once, ${(total / 1e6).toFixed(0)} MB in all: at most ${peakMb().toFixed(0)} MB in memory`,
);
clearInterval(watching);
child.send('stop');
if (peakMb() > LIMIT_MB || read.some(({ status }) => status !== 200)) {
  console.error(`more than ${LIMIT_MB} MB, or refused`);
  process.exitCode = 1;
}
