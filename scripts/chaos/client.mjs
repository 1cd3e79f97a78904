// Many agents in one process. They beat, report, and go to the next server when one does not answer. What the
// servers have acknowledged goes line by line to the parent, which compares it with the event log afterwards.

import { request } from 'node:http';

const { first, count, ports, enrollToken, operatorToken } = JSON.parse(process.argv[2]);
const BEAT_MS = 1_500;
const REPORT_MS = 15_000;
const ANSWER_MS_MAX = 2_000;
/** One in so many falls silent for good. */
const SILENT_ONE_IN = 10;

const told = [];
const tell = (line) => told.push({ at: Date.now(), ...line });
const flush = () => {
  if (told.length > 0) process.send?.(told.splice(0));
};
setInterval(flush, 500);

let isStopping = false;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function post(port, path, token, body, waitMs = ANSWER_MS_MAX) {
  return new Promise((resolve) => {
    const text = JSON.stringify(body);
    const call = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method: 'POST',
        timeout: waitMs,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
        },
      },
      (response) => {
        let answer = '';
        response.on('data', (chunk) => {
          answer += chunk;
        });
        response.on('end', () => {
          try {
            resolve({ status: response.statusCode, json: JSON.parse(answer || '{}') });
          } catch {
            resolve({ status: 0 });
          }
        });
        response.on('error', () => resolve({ status: 0 }));
      },
    );
    call.on('timeout', () => call.destroy());
    call.on('error', () => resolve({ status: 0 }));
    call.end(text);
  });
}

/** The same request at one server after the other, until one takes it. Null when none did. */
async function anywhere(agent, path, token, body, waitMs) {
  for (let tries = 0; tries < ports.length; tries++) {
    const sentAt = Date.now();
    const reply = await post(ports[agent.server], path, token, body, waitMs);
    if (reply.status >= 200 && reply.status < 300) return { ...reply, sentAt };
    if (reply.status >= 400 && reply.status < 500)
      tell({
        kind: 'refused',
        agentId: agent.agentId,
        path,
        status: reply.status,
        code: reply.json?.error?.code,
      });
    agent.server = (agent.server + 1) % ports.length;
  }
  return null;
}

async function register(agent, token = enrollToken, more = {}) {
  const body = {
    agentId: agent.agentId,
    instanceId: agent.agentId,
    group: `crew-${first}`,
    mode: 'nudge',
    can: ['nudge'],
    promises: { beatEverySeconds: 10 },
    ...more,
  };
  while (!isStopping) {
    const reply = await anywhere(agent, '/v1/agents', token, body);
    if (reply) {
      agent.token = reply.json.token;
      return;
    }
    await pause(500);
  }
}

async function live(agent) {
  await pause(Math.random() * 3_000);
  await register(agent);
  const path = `/v1/agents/${agent.agentId}`;
  let reportedAt = Date.now() - Math.random() * REPORT_MS;
  let number = 0;
  while (!isStopping && !agent.isSilent) {
    const beat = await anywhere(agent, `${path}/heartbeat`, agent.token, {});
    if (beat) tell({ kind: 'beat', agentId: agent.agentId, sentAt: beat.sentAt });
    for (const { id } of beat?.json.directives ?? []) tell({ kind: 'directive', agentId: agent.agentId, id });
    if (Date.now() - reportedAt > REPORT_MS) {
      reportedAt = Date.now();
      const text = `${agent.agentId}/${++number}`;
      const reply = await anywhere(agent, `${path}/signals`, agent.token, { kind: 'blocker', text });
      if (reply) tell({ kind: 'report', text });
      for (const { id } of reply?.json.directives ?? [])
        tell({ kind: 'directive', agentId: agent.agentId, id });
    }
    // Now and then to another server, as behind a load balancer.
    if (Math.random() < 0.05) agent.server = Math.floor(Math.random() * ports.length);
    await pause(BEAT_MS * (0.75 + Math.random() / 2));
  }
  if (agent.isSilent) tell({ kind: 'silent', agentId: agent.agentId });
}

/** What `holter run` does: it presents itself, polls, and tells what became of each effect. */
async function execute(agent) {
  const id = `run:${agent.agentId}`;
  // It does not beat: replies to its beats would carry its nudges, too.
  await register(agent, operatorToken, { executor: id, promises: { tasks: true } });
  const record = {
    agentId: agent.agentId,
    incarnation: 1,
    runId: agent.agentId,
    hostId: 'elsewhere',
    run: { bootId: 'elsewhere', pid: process.pid, startedAt: '1' },
    child: null,
    nudgeFile: null,
    words: 'file',
    onLost: 'adopt',
  };
  const path = `/v1/executors/${id}`;
  const seen = new Set();
  while (!isStopping) {
    const server = agent.server;
    if (!(await anywhere(agent, path, operatorToken, record))) {
      await pause(200);
      continue;
    }
    let polled = { status: 200 };
    while (!isStopping && polled.status === 200) {
      polled = await post(
        ports[agent.server],
        `${path}/poll`,
        operatorToken,
        { have: [], waitSeconds: 2 },
        4_000,
      );
      for (const effect of polled.json?.effects ?? []) {
        if (!seen.has(effect.id)) tell({ kind: 'executed', id: effect.id, reason: effect.message });
        else tell({ kind: 'offered again', id: effect.id });
        seen.add(effect.id);
        await post(ports[agent.server], `${path}/receipts`, operatorToken, {
          effectId: effect.id,
          outcome: 'delivered',
          detail: 'written',
        });
      }
    }
    if (agent.server === server && polled.status !== 404) agent.server = (server + 1) % ports.length;
  }
}

/** A person asks for one nudge after the other; each should reach the executor soon. */
async function ask(agent) {
  const asker = { agentId: agent.agentId, server: Math.floor(Math.random() * ports.length) };
  await pause(5_000);
  for (let number = 1; !isStopping; number++) {
    asker.server = Math.floor(Math.random() * ports.length);
    const reason = `${agent.agentId}/nudge/${number}`;
    const path = `/v1/agents/${agent.agentId}/nudge`;
    const reply = await anywhere(asker, path, operatorToken, { reason, message: reason });
    if (reply) tell({ kind: 'asked', reason });
    await pause(1_000 + Math.random() * 1_000);
  }
}

const agents = Array.from({ length: count }, (_, index) => ({
  agentId: `agent-${first + index}`,
  server: (first + index) % ports.length,
  isSilent: false,
}));
const runner = { agentId: `runner-${first}`, server: first % ports.length };
const lives = [...agents.map(live), execute(runner), ask(runner)];

process.on('message', async (message) => {
  if (message === 'silence')
    for (const [index, agent] of agents.entries()) if (index % SILENT_ONE_IN === 0) agent.isSilent = true;
  if (message !== 'stop') return;
  isStopping = true;
  await Promise.all(lives);
  flush();
  process.disconnect();
  process.exit(0);
});
