// `node scripts/write-data-folder.mjs FOLDER [CHECKOUT]`: writes a data folder for tests/fixtures/data-folders with the
// built server of this checkout, or of CHECKOUT. The folder is copied while the server runs, as a crash would leave it.

import { DataFolderServer } from './data-folder-server.mjs';

const [folder, checkout = '.'] = process.argv.slice(2);
if (!folder) throw new Error('usage: node scripts/write-data-folder.mjs FOLDER [CHECKOUT]');

const CONFIG = `
profiles:
  limited:
    limits: { tokens_max: 1000, step: terminate }
channels:
  nobody-there: { type: webhook, url: 'http://127.0.0.1:9/' }
health_monitoring:
  alerting:
    stuck_agent: { channels: [nobody-there] }
    agent_failed: { channels: [nobody-there] }
`;
const TICKET = {
  ticket_id: 'ticket-1',
  created_at: '2026-01-15T08:32:00Z',
  worker_agent_id: 'judged',
  worker_session_id: 'session-1',
  worker_node_id: 'node-1',
  worker_graph_id: 'graph-1',
  severity: 'high',
  cause: '16 steps in a row were judged and none was accepted.',
  judge_reasoning: '16 judged steps since the last ACCEPT (high from 15).',
  suggested_action: 'Read its last steps.',
  recent_verdicts: ['ACCEPT', 'RETRY'],
  total_steps_checked: 20,
  steps_since_last_accept: 16,
  stall_minutes: null,
  evidence_snippet: 'Let me try that again.',
};
const server = await DataFolderServer.start(checkout, CONFIG);

const acting = { can: ['nudge', 'terminate', 'spawn'] };
const owned = (agentId) => ({ ...acting, executor: `run:${agentId}` });
const working = { promises: { calls: { modelTimeoutSeconds: 1 }, tasks: true }, taskId: 'task-1' };

await makeTokens();
await tellEarlyOnes();
await tellRecovery();
await tellMiddleOnes();
await tellLateOnes();
await tellRemoteOnes();
await tellLastOnes();
await server.copyTo(folder);

async function makeTokens() {
  const made = async (role, owner) => server.http('POST', '/v1/tokens', { role, ...owner });
  await made('viewer');
  await made('enroll');
  await made('agent', { agentId: 'worker' });
  const { token } = await made('orchestrator', { group: 'read' });
  server.secrets.set('orchestrator', token);
  const { tokenId } = await made('operator');
  await server.http('DELETE', `/v1/tokens/${tokenId}`);
}

/** A message that it does not acknowledge, which alone is no failure; urgent ones stand for one that has failed. */
async function registerDeaf(agentId, fields, priority = 'urgent') {
  await server.register(agentId, fields);
  const messageId = `${agentId}-message`;
  await server.say(agentId, { kind: 'message-delivered', messageId, priority }, 'holter');
  if (priority === 'urgent')
    await server.say(agentId, { kind: 'error', message: 'the disk is full', isUnrecoverable: true });
}

async function tellEarlyOnes() {
  const promises = { ...working.promises, checkpoints: true, verdicts: true };
  await server.register('worker', { ...acting, ...working, promises });
  await server.register('nudge-waiting', { can: ['nudge'], ...working });
  await server.register('escalate-unread', acting);
  await registerDeaf('human-waiting', { group: 'read' });
  await registerDeaf('closed', acting);
  await registerDeaf('dismissed', acting);
  await server.register('task-overdue', { ...acting, promises: { tasks: true } });
  const assigned = { taskId: 'task-2', status: 'assigned', expectedInSeconds: 60 };
  await server.http('POST', '/v1/agents/task-overdue/task', assigned);
  await server.register('started-often', acting);
  for (const instanceId of ['second', 'third']) {
    await server.exit('started-often', 0);
    await server.register('started-often', { ...acting, instanceId });
  }
  await server.register('done', { ...acting, taskId: 'task-3' });
  await server.http('POST', '/v1/agents/done/task', { taskId: 'task-3', status: 'done' });
  await server.exit('done', 0);
  const { path } = await server.http('POST', '/v1/agents/nightly-backup/ping-key', { everySeconds: 3_600 });
  await server.http('POST', `${path}/start`);
  await server.http('POST', path);

  await server.until(3);
  await server.readNotices();
  for (const agentId of ['closed', 'dismissed']) await server.decide(agentId, 'wrong');
  await server.say('closed', { kind: 'message-acknowledged', messageId: 'closed-message' });
  for (let count = 1; count <= 14; count++) {
    await server.until(3 + count / 2);
    const total = count < 13 ? 1_000 * count : 90_000;
    await server.say('worker', { kind: 'tokens', total, contextUse: 0.9 });
  }
  // The machine sleeps: a stall.
  server.clock.at += 20_000;
  await server.until(15);
  server.beating.delete('escalate-unread');
}

/** It crashes, is started again by its run, and is on probation. */
async function tellRecovery() {
  const agentId = 'recover-probation';
  await server.register(agentId, { ...owned(agentId), taskId: 'task-4' });
  await server.checkpoint(agentId, 'half-way');
  await server.until(19);
  await server.exit(agentId, 1);
  await server.until(20.5);
  const [spawn] = await server.connectRun(agentId);
  await server.reportDone(agentId, spawn.id);
  await server.register(agentId, { ...owned(agentId), instanceId: 'successor', spawnKey: spawn.key });
}

async function tellMiddleOnes() {
  await server.register('nudge-seen', { can: ['nudge'], ...working });
  await loop('nudge-seen', 6);
  // The first reply carries the nudge; the next request shows that it was seen.
  for (let beat = 0; beat < 2; beat++) {
    await server.http('POST', '/v1/agents/nudge-seen/heartbeat', {}, 'nudge-seen');
    await server.settle();
  }
  await loop('nudge-seen', 2);
  await registerDeaf('escalate-read', { group: 'read' });
  await registerDeaf('escalate-acknowledged');
  await server.register('escalate-denied', { can: ['deny-call'], ...working });
  await server.until(25);
  await registerDeaf('reminded', acting, 'high');
  await server.readNotices();
  await server.decideIncident('escalate-acknowledged', 'acknowledge');
  await server.register('breakers', acting);
  await server.failThroughBreaker('breakers', 'half_open', 3);
  await server.until(27);
  for (const agentId of ['terminate-acting', 'terminate-handoff', 'terminate-said-gone'])
    await registerDeaf(agentId, { ...owned(agentId), promises: { process: true } });
  await server.register('exit-code', { taskId: 'task-5' });
  await server.exit('exit-code', 5);
  const crashing = ['recover-pending', 'recover-claimed'];
  for (const agentId of crashing) await server.register(agentId, { ...owned(agentId), taskId: 'task-6' });
  for (const id of ['first', 'second']) await server.checkpoint('recover-claimed', id);
  await server.until(29.5);
  for (const agentId of crashing) await server.exit(agentId, 1);
  await server.until(30);
}

async function tellLateOnes() {
  await loop('escalate-denied', 6);
  await server.register('nudge-by-operator', acting);
  await server.decide('nudge-by-operator', 'nudge', { message: 'Please say what you are doing.' });
  for (const agentId of ['terminate-by-policy', 'terminate-called-off']) {
    await server.register(agentId, { ...owned(agentId), role: 'limited' });
    await server.say(agentId, { kind: 'tokens', total: 2_000 });
  }
  await server.decide('terminate-called-off', 'snooze', { minutes: 600 });
  await server.register('on-hold', { ...acting, ...working });
  const command = { tool: 'Bash', input: { command: 'make' } };
  await server.say('on-hold', { kind: 'call-begun', callId: 'open-call', ...command });
  await server.say('on-hold', { kind: 'hold-begun', hold: 'waiting-for-permission' });
  await server.decide('on-hold', 'pause');
  await server.register('snoozed', acting);
  await server.decide('snoozed', 'snooze', { minutes: 60 });
  await server.decide('snoozed', 'snooze', { minutes: 600, finding: 'silent' });
  await fillTrail('worker');
  await server.checkpoint('worker', 'newest');
  await server.until(32);
}

/** Letters in every state, several tasks, and a ticket that waits for an answer. */
async function tellRemoteOnes() {
  await server.register('remote', { can: ['nudge'], promises: { tasks: true } });
  for (const taskId of ['part-1', 'part-2'])
    await server.http('POST', '/v1/agents/remote/task', {
      taskId,
      status: 'assigned',
      expectedInSeconds: 60,
    });
  const send = (from, to, message, more = {}, who = 'operator') =>
    server.http(
      'POST',
      '/api/messages',
      { from, to, subject: message, priority: 'high', content: { type: 'request', message }, ...more },
      who,
    );
  const chief = 'ecos-chief-of-staff';
  const { id: read } = await send(chief, 'remote', 'read, and not acknowledged');
  const { id: acknowledged } = await send(chief, 'remote', 'acknowledged');
  await send(chief, 'remote', 'unread', { priority: 'urgent', clientId: 'client-1' });
  await send('remote', chief, 'an answer', { inReplyTo: acknowledged }, 'remote');
  await server.http('PATCH', `/api/messages?agent=remote&id=${read}&action=read`, undefined, 'remote');
  await server.register('judged', acting);
  await server.http('POST', '/v1/tickets', { ticket: TICKET });
  await server.settle();
}

async function loop(agentId, times) {
  for (let turn = 0; turn < times; turn++)
    await server.call(agentId, 'Read', { path: 'notes.txt' }, 'three lines');
}

/** Something for every detector to remember. Failures come late: what brings something new would clear them. */
async function fillTrail(agentId) {
  const search = ['Grep', { pattern: 'colour' }, 'No matches found'];
  const list = ['Bash', { command: 'ls' }, 'a.ts b.ts'];
  await server.say(agentId, { kind: 'said', role: 'user', text: 'Please look for the colour.' });
  await server.call(agentId, ...search);
  await server.call(agentId, ...list);
  for (let turn = 0; turn < 3; turn++)
    await server.call(agentId, 'Bash', { command: 'npm test' }, 'Error: 3 failed', true);
  for (const tool of ['Frobnicate', 'Defrobnicate'])
    await server.call(agentId, tool, { of: tool }, `Error: No such tool available: ${tool}`, true);
  for (let turn = 0; turn < 3; turn++) {
    await server.call(agentId, ...list);
    await server.call(agentId, ...search);
  }
  for (let turn = 0; turn < 2; turn++) await server.say(agentId, { kind: 'compaction' });
  await server.say(agentId, { kind: 'said', role: 'assistant', text: 'I will try again. '.repeat(30) });
  for (const verdict of ['RETRY', 'CONTINUE']) await server.say(agentId, { kind: 'verdict', verdict });
}

/** Their waits are short: they have to be under way when the folder is copied. */
async function tellLastOnes() {
  await server.failThroughBreaker('breakers', 'open', 3);
  await server.failThroughBreaker('breakers', 'closed', 1);
  await server.acquirePermit('breakers', 'half_open');
  await server.orderToBringBack('terminate-acting', 'terminate_and_recover');
  await server.orderToBringBack('terminate-handoff', 'force_handoff');
  await server.decide('terminate-said-gone', 'terminate');
  await server.connectRun('terminate-called-off');
  const [order] = await server.connectRun('terminate-said-gone');
  await server.reportDone('terminate-said-gone', order.id);
  const night = [1, 2, 3, 4, 5].map((number) => `night-${number}`);
  for (const agentId of night) await server.register(agentId, { ...acting, group: 'night' });
  for (const agentId of night.slice(1)) await server.exit(agentId, 1);
  await server.register('recover-backoff', { ...owned('recover-backoff'), taskId: 'task-7' });
  await server.exit('recover-backoff', 5);
  await server.connectRun('terminate-acting');
  await server.connectRun('recover-claimed');
}
