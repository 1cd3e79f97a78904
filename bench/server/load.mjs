// The load, in its own process, so that its cost is not measured as part of the server. Each command comes over IPC
// and is answered with figures.

import { performance } from 'node:perf_hooks';
import { Connection, requestBytes } from './connection.mjs';

const commands = { register, beats, lines, latencies, byTime, idle };
process.on('message', async ({ command, ...options }) => {
  try {
    process.send(await commands[command](options));
  } catch (error) {
    process.send({ error: String(error?.stack ?? error) });
  }
});

const beatOf = ({ agentId, token }) =>
  requestBytes('POST', `/v1/agents/${agentId}/heartbeat`, {
    token,
    body: { phase: 'coding', token_count: 1_200, task_id: 'T-1' },
  });

/** Registers agents `prefix-0` … over several tokens, since each token has its own limit. */
async function register({ port, tokens, prefix, count, promises }) {
  const agents = [];
  let next = 0;
  await inParallel(port, 48, async (connection, index) => {
    while (next < count) {
      const agentId = `${prefix}-${next++}`;
      const body = { agentId, instanceId: 'bench', promises };
      const token = tokens[index % tokens.length];
      let reply = await connection.ask(requestBytes('POST', '/v1/agents', { token, body }));
      while (reply.status === 429) {
        await sleep(200);
        reply = await connection.ask(requestBytes('POST', '/v1/agents', { token, body }));
      }
      if (reply.status !== 201) throw new Error(`${reply.status} ${reply.body}`);
      agents.push({ agentId, token: JSON.parse(reply.body).token });
    }
  });
  return { agents };
}

/** Sends as many heartbeats as possible, one per request, at most `count`. */
async function beats({ port, agents, connections, seconds, count = Number.POSITIVE_INFINITY }) {
  const requests = agents.map(beatOf);
  const until = performance.now() + seconds * 1_000;
  const latenciesMs = [];
  let next = 0;
  const startedAt = performance.now();
  await inParallel(port, connections, async (connection) => {
    while (performance.now() < until && next < count) {
      const sentAt = performance.now();
      const { status, body } = await connection.ask(requests[next++ % requests.length]);
      if (status !== 200) throw new Error(`${status} ${body}`);
      latenciesMs.push(performance.now() - sentAt);
    }
  });
  return {
    perSecond: latenciesMs.length / ((performance.now() - startedAt) / 1_000),
    ...summary(latenciesMs),
  };
}

/** NDJSON: each connection sends one body after the other, until every agent has beaten and the time is over. */
async function lines({ port, token, agents, connections, seconds, linesPerBody, isPlain = false }) {
  const bodies = Array.from({ length: Math.max(connections, agents.length / linesPerBody) }, (_, c) => {
    const text = Array.from({ length: linesPerBody }, (_, i) => {
      const { agentId } = agents[(c * linesPerBody + i) % agents.length];
      const more = isPlain ? '' : `,"phase":"coding","tokenCount":${1_200 + i}`;
      return `{"kind":"heartbeat","agentId":"${agentId}","incarnation":1${more}}`;
    }).join('\n');
    return requestBytes('POST', '/v1/signals', { token, body: text, type: 'application/x-ndjson' });
  });
  const until = performance.now() + seconds * 1_000;
  const startedAt = performance.now();
  let taken = 0;
  let next = 0;
  await inParallel(port, connections, async (connection) => {
    while (performance.now() < until || next < bodies.length) {
      const { status, body } = await connection.ask(bodies[next++ % bodies.length]);
      const accepted = /"accepted":(\d+),"refused":0/.exec(body.slice(-300))?.[1];
      if (status !== 200 || accepted === undefined) throw new Error(`${status} ${body.slice(-300)}`);
      taken += Number(accepted);
    }
  });
  return { perSecond: taken / ((performance.now() - startedAt) / 1_000), taken };
}

/** A paced load like that of real agents, with the latency of other requests meanwhile. */
async function latencies({ port, agents, viewer, perSecond, seconds }) {
  const requests = agents.map(beatOf);
  const until = performance.now() + seconds * 1_000;
  const beatMs = [];
  const healthMs = [];
  const transitionMs = [];
  const pool = Array.from({ length: 32 }, () => new Connection(port));
  const free = [...pool];
  let missed = 0;
  let next = 0;
  const beat = async () => {
    const connection = free.pop();
    if (!connection) {
      missed += 1;
      return;
    }
    const sentAt = performance.now();
    const { status, body } = await connection.ask(requests[next++ % requests.length]);
    if (status !== 200) throw new Error(`${status} ${body}`);
    beatMs.push(performance.now() - sentAt);
    free.push(connection);
  };
  const pacing = pace(perSecond, until, beat);
  const asking = inParallel(port, 1, async (connection) => {
    const health = requestBytes('GET', '/health');
    while (performance.now() < until) {
      const sentAt = performance.now();
      await connection.ask(health);
      healthMs.push(performance.now() - sentAt);
      await sleep(10);
    }
  });
  const stream = listen(port, viewer);
  await stream.ready;
  const changing = inParallel(port, 1, async (connection) => {
    for (let i = 0; performance.now() < until && i < agents.length; i += 1) {
      const { agentId, token } = agents[i];
      const body = { kind: 'status', status: 'degraded' };
      const seen = stream.wait(agentId);
      const sentAt = performance.now();
      const { status } = await connection.ask(
        requestBytes('POST', `/v1/agents/${agentId}/signals`, { token, body }),
      );
      if (status !== 200) throw new Error(`signal ${status}`);
      await seen;
      transitionMs.push(performance.now() - sentAt);
      await sleep(20);
    }
  });
  await Promise.all([pacing, asking, changing]);
  stream.close();
  for (const connection of pool) connection.close();
  return { beat: summary(beatMs), health: summary(healthMs), transition: summary(transitionMs), missed };
}

/** Agents that never beat: how long after their deadline, which is the same for all, the first miss shows. */
async function byTime({ port, viewer, tokens, count }) {
  const stream = listen(port, viewer);
  await stream.ready;
  const waits = Array.from({ length: count }, (_, i) => stream.wait(`silent-${i}`));
  const { agents } = await register({
    port,
    tokens,
    prefix: 'silent',
    count,
    promises: { beatEverySeconds: 1 },
  });
  const delays = await Promise.all(waits);
  stream.close();
  const earliest = Math.min(...delays);
  return { agents: agents.length, ...summary(delays.map((delay) => delay - earliest)) };
}

async function idle({ port, agents, seconds, intervalSeconds }) {
  const requests = agents.map(beatOf);
  const until = performance.now() + seconds * 1_000;
  const pool = Array.from({ length: 16 }, () => new Connection(port));
  const free = [...pool];
  let next = 0;
  let sent = 0;
  await pace(agents.length / intervalSeconds, until, async () => {
    const connection = free.pop();
    if (!connection) return;
    const { status } = await connection.ask(requests[next++ % requests.length]);
    if (status !== 200) throw new Error(`beat ${status}`);
    sent += 1;
    free.push(connection);
  });
  for (const connection of pool) connection.close();
  return { sent };
}

/** HEALTH_STATE_CHANGED events as they come; `wait` resolves with how long the agent had been in its state. */
function listen(port, token) {
  const waiting = new Map();
  const registeredAt = new Map();
  const connection = new Connection(port);
  let rest = '';
  let isReady;
  const ready = new Promise((resolve) => {
    isReady = resolve;
  });
  connection.look = () => {
    rest += connection.rest;
    connection.rest = '';
    if (rest.includes('retry: ')) isReady();
    const frames = rest.split('\n\n');
    rest = frames.pop();
    for (const frame of frames) {
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      if (!data) continue;
      const { type, agentId, at } = JSON.parse(data);
      if (type === 'AGENT_REGISTERED') registeredAt.set(agentId, at);
      if (type === 'HEALTH_STATE_CHANGED') {
        waiting.get(agentId)?.(at - (registeredAt.get(agentId) ?? at));
        waiting.delete(agentId);
      }
    }
  };
  const path = '/v1/events?type=HEALTH_STATE_CHANGED,AGENT_REGISTERED';
  connection.socket.write(
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nAccept: text/event-stream\r\n\r\n`,
  );
  return {
    ready,
    wait: (agentId) => new Promise((resolve) => waiting.set(agentId, resolve)),
    close: () => connection.close(),
  };
}

/** Calls `act` at this rate without waiting for it. */
async function pace(perSecond, until, act) {
  const startedAt = performance.now();
  const running = new Set();
  for (let done = 0; performance.now() < until; ) {
    const due = Math.floor(((performance.now() - startedAt) / 1_000) * perSecond);
    for (; done < due; done += 1) {
      const one = act().finally(() => running.delete(one));
      running.add(one);
    }
    await sleep(5);
  }
  await Promise.all(running);
}

async function inParallel(port, count, work) {
  const connections = Array.from({ length: count }, () => new Connection(port));
  await Promise.all(connections.map(work));
  for (const connection of connections) connection.close();
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function summary(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}
