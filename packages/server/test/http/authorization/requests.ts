import { ticketOf } from '../../../../core/test/ticket.ts';
import type { CallOptions } from '../kit.ts';

/** One cell's world: an agent of the group `crew` in its second start, and the secret that the caller holds. */
export type Scene = {
  readonly agentId: string;
  /** The caller's own secret; for a caller without one, a made-up word. */
  readonly secret: string;
  /** Of the agent's current start. */
  readonly instanceId: string;
  /** Operators speak for no start of their own, so they name the one they mean. */
  readonly start: { readonly incarnation?: number };
};

export type Asked = CallOptions & { readonly path: string };

const why = { reason: 'the matrix asks' };
const letterFrom = (from: string) => ({
  from,
  to: 'ecos-chief-of-staff',
  subject: 'x',
  content: { type: 'request', message: 'x' },
});
const ndjson = { 'content-type': 'application/x-ndjson' };
/** A session's id is a UUID; each cell has its own. */
const sessionOf = (agentId: string): string =>
  `00000000-0000-4000-8000-${agentId.replace(/\D/g, '').padStart(12, '0')}`;
const run = 'run:00000000-0000-4000-8000-000000000000';
const someProcess = { bootId: 'b', pid: 1, startedAt: '1' };

/** A well-formed request for each row of the matrix, so that only the caller decides what is answered. */
export const requests: Readonly<Record<string, (scene: Scene) => Asked>> = {
  'GET /health': () => ({ path: '/health' }),
  'GET /ready': () => ({ path: '/ready' }),
  'GET /metrics': () => ({ path: '/metrics' }),
  'GET /openapi.json': () => ({ path: '/openapi.json' }),
  'POST /v1/agents, a new name': ({ agentId }) => ({
    path: '/v1/agents',
    body: { agentId: `${agentId}-new`, instanceId: 'i' },
  }),
  'POST /v1/agents, its name, same instance': ({ agentId, instanceId }) => ({
    path: '/v1/agents',
    body: { agentId, instanceId, group: 'crew', promises: { beatEverySeconds: 3_600 } },
  }),
  'POST /v1/agents, its name, other instance': ({ agentId }) => ({
    path: '/v1/agents',
    body: { agentId, instanceId: 'thief', group: 'crew' },
  }),
  'POST /v1/agents, with an executor': ({ agentId }) => ({
    path: '/v1/agents',
    body: { agentId: `${agentId}-new`, instanceId: 'i', executor: run },
  }),
  'POST /v1/agents/{id}/heartbeat': ({ agentId, start }) => ({
    path: `/v1/agents/${agentId}/heartbeat`,
    body: start,
  }),
  'POST /v1/agents/{id}/signals': ({ agentId, start }) => ({
    path: `/v1/agents/${agentId}/signals`,
    body: { kind: 'turn-begun', ...start },
  }),
  'POST /v1/agents/{id}/signals, a process': ({ agentId, start }) => ({
    path: `/v1/agents/${agentId}/signals`,
    body: {
      kind: 'process',
      state: 'running',
      cpuMs: 1,
      ioBytes: 0,
      childrenAtWork: 0,
      memoryBytes: 0,
      ...start,
    },
  }),
  'POST /v1/signals': ({ agentId, start }) => ({
    path: '/v1/signals',
    raw: `${JSON.stringify({ kind: 'heartbeat', agentId, ...start })}\n`,
    headers: ndjson,
  }),
  'POST /v1/agents/{id}/checkpoints': ({ agentId }) => ({
    path: `/v1/agents/${agentId}/checkpoints`,
    body: { content: {} },
  }),
  'GET /v1/agents/{id}/checkpoints': ({ agentId }) => ({ path: `/v1/agents/${agentId}/checkpoints` }),
  'GET /v1/agents': () => ({ path: '/v1/agents' }),
  'GET /v1/agents/{id}': ({ agentId }) => ({ path: `/v1/agents/${agentId}` }),
  'GET /v1/agents/{id}/final-states': ({ agentId }) => ({ path: `/v1/agents/${agentId}/final-states` }),
  'GET /v1/agents/{id}/probe': ({ agentId }) => ({ path: `/v1/agents/${agentId}/probe` }),
  'GET /v1/agents/{id}/effects': ({ agentId }) => ({ path: `/v1/agents/${agentId}/effects` }),
  'GET /v1/agents/{id}/pulse': ({ agentId }) => ({ path: `/v1/agents/${agentId}/pulse` }),
  'GET /v1/rollups': () => ({ path: '/v1/rollups' }),
  ...acts('pause', 'resume', 'wake', 'wrong', 'nudge', 'terminate', 'force-handoff', 'recover'),
  'POST /v1/agents/{id}/snooze': ({ agentId }) => ({
    path: `/v1/agents/${agentId}/snooze`,
    body: { ...why, minutes: 5 },
  }),
  'POST /v1/incidents/{incidentId}/decision': ({ agentId }) => ({
    path: `/v1/incidents/${encodeURIComponent(`${agentId}/1`)}/decision`,
    body: { ...why, decision: 'acknowledge' },
  }),
  'POST /v1/incidents/{id}/{number}/decision': ({ agentId }) => ({
    path: `/v1/incidents/${agentId}/1/decision`,
    body: { ...why, decision: 'acknowledge' },
  }),
  'POST /v1/incidents/shown': ({ agentId }) => ({
    path: '/v1/incidents/shown',
    body: { incidentIds: [`${agentId}/1`] },
  }),
  'GET /v1/incidents': () => ({ path: '/v1/incidents' }),
  'GET /v1/events': () => ({ path: '/v1/events' }),
  'GET /v1/events, as a stream': () => ({ path: '/v1/events', headers: { accept: 'text/event-stream' } }),
  'GET /v1/fleet': () => ({ path: '/v1/fleet' }),
  'GET /v1/fleet/live': () => ({ path: '/v1/fleet/live' }),
  'GET /v1/history': () => ({ path: '/v1/history' }),
  'GET /v1/system': () => ({ path: '/v1/system' }),
  'GET /v1/agents/{id}/logs': ({ agentId }) => ({ path: `/v1/agents/${agentId}/logs` }),
  'POST /v1/agents/{id}/output': ({ agentId }) => ({
    path: `/v1/agents/${agentId}/output`,
    body: { text: 'hello' },
  }),
  'GET /v1/config': () => ({ path: '/v1/config' }),
  'GET /v1/health-summary': ({ agentId }) => ({ path: `/v1/health-summary?session_id=${agentId}` }),
  'GET /v1/judge/check': ({ agentId }) => ({ path: `/v1/judge/check?session_id=${agentId}` }),
  'GET /v1/judge/stats': () => ({ path: '/v1/judge/stats' }),
  'GET /v1/tickets': () => ({ path: '/v1/tickets' }),
  'GET /v1/tickets/{ticketId}': ({ agentId }) => ({ path: `/v1/tickets/ticket-of-${agentId}` }),
  'POST /v1/tickets': ({ agentId }) => ({
    path: '/v1/tickets',
    body: { ticket: ticketOf({ worker_agent_id: agentId }) },
  }),
  'POST /v1/tickets/{ticketId}/intervention': ({ agentId }) => ({
    path: `/v1/tickets/ticket-of-${agentId}/intervention`,
    body: { analysis: 'it repeats itself' },
  }),
  'POST /v1/tickets/{ticketId}/answer': ({ agentId }) => ({
    path: `/v1/tickets/ticket-of-${agentId}/answer`,
    body: { answer: 'useful' },
  }),
  'GET /v1/tasks': () => ({ path: '/v1/tasks' }),
  'GET /v1/tasks, of the agent': ({ agentId }) => ({ path: `/v1/tasks?agentId=${agentId}` }),
  'GET /v1/agents/{id}/tasks/{task}': ({ agentId }) => ({ path: `/v1/agents/${agentId}/tasks/T-0` }),
  'POST /v1/agents/{id}/task': ({ agentId }) => ({
    path: `/v1/agents/${agentId}/task`,
    body: { status: 'assigned', taskId: 'T-1' },
  }),
  ...pings('GET'),
  ...pings('POST'),
  'POST /v1/badges': ({ agentId }) => ({ path: '/v1/badges', body: { agentId } }),
  'GET /badge/{key}.svg': ({ secret }) => ({ path: `/badge/${secret}.svg` }),
  'POST /v1/agents/{id}/ping-key': ({ agentId }) => ({
    path: `/v1/agents/${agentId}/ping-key`,
    body: { everySeconds: 60 },
  }),
  'POST /v1/tokens': () => ({ path: '/v1/tokens', body: { role: 'operator' } }),
  'GET /v1/tokens': () => ({ path: '/v1/tokens' }),
  'DELETE /v1/tokens/{tokenId}': ({ agentId }) => ({ path: `/v1/tokens/token-of-${agentId}` }),
  'GET /v1/alerts': () => ({ path: '/v1/alerts' }),
  'POST /v1/alerts/test': () => ({ path: '/v1/alerts/test', body: {} }),
  'POST /v1/maintenance': () => ({ path: '/v1/maintenance', body: { group: 'crew', seconds: 60, ...why } }),
  'DELETE /v1/maintenance/{group}': ({ agentId }) => ({ path: `/v1/maintenance/of-${agentId}` }),
  'GET /v1/cost': () => ({ path: '/v1/cost' }),
  'GET /v1/breakers': () => ({ path: '/v1/breakers' }),
  'GET /v1/agents/{id}/breakers': ({ agentId }) => ({ path: `/v1/agents/${agentId}/breakers` }),
  ...breaker('acquire', 'tools', {}),
  ...breaker('success', 'tools', { generation: 0, permitId: 0 }),
  ...breaker('failure', 'tools', { generation: 0, permitId: 0 }),
  ...breaker('acquire', 'recovery_attempt', {}),
  ...breaker('failure', 'recovery_attempt', { generation: 0, permitId: 0 }),
  ...breaker('isolate', 'tools', why),
  ...breaker('reset', 'tools', why),
  'POST /api/messages': ({ agentId }) => ({ path: '/api/messages', body: letterFrom(agentId) }),
  'GET /api/messages': ({ agentId }) => ({ path: `/api/messages?agent=${agentId}` }),
  'GET /api/messages/stream': ({ agentId }) => ({ path: `/api/messages/stream?agent=${agentId}` }),
  'PATCH /api/messages': ({ agentId }) => ({
    path: `/api/messages?agent=${agentId}&id=to-${agentId}&action=acknowledge`,
  }),
  'DELETE /api/messages': ({ agentId }) => ({ path: `/api/messages?agent=${agentId}&id=to-${agentId}` }),
  'POST /api/messages/forward': ({ agentId }) => ({
    path: '/api/messages/forward',
    body: { messageId: `to-${agentId}`, from: agentId, to: 'ecos-chief-of-staff' },
  }),
  'GET /api/agents': () => ({ path: '/api/agents' }),
  'GET /api/agents/{id}/status': ({ agentId }) => ({ path: `/api/agents/${agentId}/status` }),
  'POST /api/agents/{id}/heartbeat': ({ agentId }) => ({
    path: `/api/agents/${agentId}/heartbeat`,
    body: {},
  }),
  'POST /v1/login-secrets': () => ({ path: '/v1/login-secrets', body: {} }),
  'POST /v1/login': ({ secret }) => ({ path: '/v1/login', body: { secret } }),
  'POST /v1/logout': () => ({ path: '/v1/logout', body: {} }),
  'POST /v1/session': () => ({ path: '/v1/session', body: { name: 'ines' } }),
  'GET /v1/session': () => ({ path: '/v1/session' }),
  'POST /hooks/claude-code': ({ agentId }) => ({
    path: '/hooks/claude-code',
    body: { session_id: sessionOf(agentId), cwd: '/home/dev/shop', hook_event_name: 'PreToolUse' },
  }),
  'POST /v1/executors/{executor}': ({ agentId }) => ({
    path: `/v1/executors/${run}`,
    body: {
      agentId,
      incarnation: 2,
      runId: 'r',
      hostId: 'elsewhere',
      run: someProcess,
      child: null,
      nudgeFile: null,
      onLost: 'adopt',
    },
  }),
  'POST /v1/executors/{executor}/poll': () => ({
    path: `/v1/executors/${run}/poll`,
    body: { have: [], waitSeconds: 0 },
  }),
  'POST /v1/executors/{executor}/receipts': () => ({
    path: `/v1/executors/${run}/receipts`,
    body: { effectId: 'e', outcome: 'done', detail: 'x' },
  }),
  'DELETE /v1/executors/{executor}': () => ({ path: `/v1/executors/${run}` }),
};

function acts(...words: readonly string[]): Record<string, (scene: Scene) => Asked> {
  return Object.fromEntries(
    words.map((word) => [
      `POST /v1/agents/{id}/${word}`,
      ({ agentId }) => ({ path: `/v1/agents/${agentId}/${word}`, body: why }),
    ]),
  );
}

function pings(method: string): Record<string, (scene: Scene) => Asked> {
  const words = { '': '', '/start': '/start', '/fail': '/fail', '/{code}': '/3' };
  return Object.fromEntries(
    Object.entries(words).map(([pattern, rest]) => [
      `${method} /ping/{key}${pattern}`,
      ({ secret }) => ({ path: `/ping/${secret}${rest}` }),
    ]),
  );
}

function breaker(word: string, name: string, body: object): Record<string, (scene: Scene) => Asked> {
  const variant = name === 'tools' ? '' : `, ${name}`;
  return {
    [`POST /v1/agents/{id}/breakers/{name}/${word}${variant}`]: ({ agentId }) => ({
      path: `/v1/agents/${agentId}/breakers/${name}/${word}`,
      body,
    }),
  };
}
