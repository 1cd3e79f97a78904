import { Connection, requestBytes } from '../server/connection.mjs';

const LINES = 2_000;

/** Returns when the beat of each agent was sent. */
export async function beatAll(port, token, agentIds) {
  const connection = new Connection(port);
  const beatenAt = new Map();
  for (let first = 0; first < agentIds.length; first += LINES) {
    const slice = agentIds.slice(first, first + LINES);
    const at = Date.now();
    for (const agentId of slice) beatenAt.set(agentId, at);
    const body = slice
      .map((agentId) => `{"kind":"heartbeat","agentId":"${agentId}","incarnation":1}`)
      .join('\n');
    const type = 'application/x-ndjson';
    const reply = await connection.ask(requestBytes('POST', '/v1/signals', { token, body, type }));
    if (reply.status !== 200 || !reply.body.includes('"refused":0')) throw new Error(reply.body.slice(-300));
  }
  connection.close();
  return beatenAt;
}
