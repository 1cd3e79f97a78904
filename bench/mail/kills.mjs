// `node bench/mail/kills.mjs`: a real server is killed by SIGKILL again and again while letters are sent to it. A sender
// that got no answer sends its letter again, with the same clientId. Exit 1 unless every letter is there exactly once.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const KILLS = Number(process.env.KILLS ?? 20);
const SENDERS = 8;
const dataFolder = mkdtempSync(join(tmpdir(), 'holter-mail-kills-'));
const bin = new URL('../../packages/holter/bin/holter.js', import.meta.url).pathname;

async function start() {
  const child = spawn(
    process.execPath,
    [bin, 'up', '--port', '0', '--data', dataFolder, '--log-level', 'error'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let text = '';
  for await (const chunk of child.stdout) {
    text += chunk;
    const url = /http:\/\/\S+/.exec(text)?.[0];
    if (url) return { child, url };
  }
  throw new Error(`no server: ${text}`);
}

const token = (role) => readFileSync(join(dataFolder, `${role}.token`), 'utf8').trim();
const call = async (url, method, path, body) => {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token('operator')}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const json = await response.json();
  if (!response.ok) throw new Error(`${response.status} ${JSON.stringify(json)}`);
  return json;
};

let server = await start();
for (let n = 0; n < SENDERS; n += 1)
  await call(server.url, 'POST', '/v1/agents', { agentId: `agent-${n}`, instanceId: 'i' });

let isOver = false;
let repeated = 0;
const sent = Array.from({ length: SENDERS }, () => []);

/** One letter after the other, each until it is acknowledged by the server. */
async function sender(n) {
  for (let number = 0; !isOver && number < 900; number += 1) {
    const clientId = `letter-${n}-${number}`;
    const body = { to: `agent-${n}`, subject: clientId, content: { type: 't', message: 'm' }, clientId };
    for (let isFirst = true; ; isFirst = false) {
      if (!isFirst) repeated += 1;
      try {
        const { id } = await call(server.url, 'POST', '/api/messages', body);
        sent[n].push(id);
        break;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }
}

const senders = sent.map((_, n) => sender(n));
for (let kill = 0; kill < KILLS; kill += 1) {
  await new Promise((resolve) => setTimeout(resolve, 200 + ((kill * 137) % 400)));
  server.child.kill('SIGKILL');
  await once(server.child, 'exit');
  server = await start();
}
isOver = true;
await Promise.all(senders);

let wrong = 0;
for (const [n, ids] of sent.entries()) {
  const { messages } = await call(server.url, 'GET', `/api/messages?agent=agent-${n}&limit=0`);
  const found = messages.map(({ id }) => id).reverse();
  if (JSON.stringify(found) !== JSON.stringify(ids)) wrong += 1;
}
const total = sent.reduce((sum, { length }) => sum + length, 0);
console.log(
  `${KILLS} kills, ${total} letters, ${repeated} sent again: ${wrong === 0 ? 'each is there once, in order' : `${wrong} boxes are wrong`}`,
);
server.child.kill('SIGTERM');
await once(server.child, 'exit');
rmSync(dataFolder, { recursive: true });
process.exitCode = wrong === 0 ? 0 : 1;
