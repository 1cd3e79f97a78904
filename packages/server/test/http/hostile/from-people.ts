import { ask, type Hostile } from './ask.ts';

const reason = 'because';
const acting: readonly Hostile[] = [
  ask('itself', ['POST', '/v1/agents/ada/pause'], 'ada', [403, 'forbidden'], { body: { reason } }),
  ask('a viewer', ['POST', '/v1/agents/ada/terminate'], 'viewer', [403, 'forbidden'], { body: { reason } }),
  ask('of another group', ['POST', '/v1/agents/ada/nudge'], 'orchestrator', [403, 'forbidden'], {
    body: { reason },
  }),
  ask('without a reason', ['POST', '/v1/agents/ada/resume'], 'operator', [400, 'missing_field'], {
    body: {},
  }),
  ask('a blank reason', ['POST', '/v1/agents/ada/wrong'], 'operator', [400, 'bad_value'], {
    body: { reason: '   ' },
  }),
  ask('a reason of two lines', ['POST', '/v1/agents/ada/pause'], 'operator', [400, 'bad_value'], {
    body: { reason: 'a\nb' },
  }),
  ask('a reason that turns round', ['POST', '/v1/agents/ada/pause'], 'operator', [400, 'bad_value'], {
    body: { reason: 'ok \u202e liave' },
  }),
  ask('a long reason', ['POST', '/v1/agents/ada/recover'], 'operator', [400, 'out_of_range'], {
    body: { reason: 'r'.repeat(1_001) },
  }),
  ask('for ever', ['POST', '/v1/agents/ada/snooze'], 'operator', [400, 'out_of_range'], {
    body: { reason, minutes: 1e9 },
  }),
  ask('backwards', ['POST', '/v1/agents/ada/snooze'], 'operator', [400, 'out_of_range'], {
    body: { reason, minutes: -1 },
  }),
  ask(
    'what can not be stopped',
    ['POST', '/v1/agents/ada/terminate'],
    'operator',
    [409, 'decision_rejected'],
    { body: { reason } },
  ),
  ask('nobody', ['POST', '/v1/agents/nobody/pause'], 'operator', [404, 'unknown_agent'], {
    body: { reason },
  }),
  ask(
    'an incident that is none',
    ['POST', '/v1/incidents/ada%2F99/decision'],
    'operator',
    [409, 'decision_rejected'],
    { body: { reason, decision: 'dismiss' } },
  ),
  ask(
    'an incident of nobody',
    ['POST', '/v1/incidents/nobody/1/decision'],
    'operator',
    [404, 'unknown_agent'],
    { body: { reason, decision: 'dismiss' } },
  ),
  ask('no incident', ['POST', '/v1/incidents/__proto__/decision'], 'operator', [400, 'bad_agent_id'], {
    body: { reason, decision: 'dismiss' },
  }),
  ask('an unknown decision', ['POST', '/v1/incidents/ada%2F1/decision'], 'operator', [400, 'bad_value'], {
    body: { reason, decision: 'explode' },
  }),
  ask('an unknown status', ['POST', '/v1/agents/ada/task'], 'operator', [400, 'bad_value'], {
    body: { status: 'eaten', taskId: 't' },
  }),
  ask('more than all', ['POST', '/v1/agents/ada/task'], 'operator', [400, 'out_of_range'], {
    body: { status: 'updated', taskId: 't', percent: 101 },
  }),
  ask('of another group', ['POST', '/v1/agents/ada/task'], 'orchestrator', [403, 'forbidden'], {
    body: { status: 'done', taskId: 't' },
  }),
  ask('a guessed key', ['POST', '/ping/guess'], null, [404, 'unknown_key']),
  ask("an operator's token as a key", ['POST', '/ping/%2e%2e/fail'], null, [404, '']),
  ask('too often', ['POST', '/v1/agents/cron/ping-key'], 'operator', [400, 'out_of_range'], {
    body: { everySeconds: 0 },
  }),
  ask('a viewer', ['POST', '/v1/agents/cron/ping-key'], 'viewer', [403, 'forbidden'], {
    body: { everySeconds: 60 },
  }),
  ask('an unknown role', ['POST', '/v1/tokens'], 'operator', [400, 'bad_value'], { body: { role: 'root' } }),
  ask('an agent without a name', ['POST', '/v1/tokens'], 'operator', [400, 'bad_value'], {
    body: { role: 'agent' },
  }),
  ask('a viewer', ['POST', '/v1/tokens'], 'viewer', [403, 'forbidden'], { body: { role: 'operator' } }),
  ask('a token that is none', ['DELETE', '/v1/tokens/t%00'], 'operator', [404, 'unknown_token']),
  ask('an agent', ['DELETE', '/v1/tokens/t-operator'], 'ada', [403, 'forbidden']),
];

const reading: readonly Hostile[] = [
  ask('a path out', ['GET', '/v1/agents/..%2f..%2fetc%2fpasswd'], 'viewer', [400, 'bad_agent_id']),
  ask('a NUL', ['GET', '/v1/agents/ada%00'], 'viewer', [400, 'bad_agent_id']),
  ask('a broken escape', ['GET', '/v1/agents/%ZZ'], 'viewer', [400, 'bad_url']),
  ask('a long name', ['GET', `/v1/agents/${'a'.repeat(400)}`], 'viewer', [414, 'bad_url']),
  ask('many slashes', ['GET', '//v1///agents'], 'viewer', [404, 'not_found']),
  ask('another method', ['PUT', '/v1/agents'], 'operator', [405, 'wrong_method']),
  ask('minus one', ['GET', '/v1/agents?limit=-1'], 'viewer', [400, 'bad_value']),
  ask('a milliard', ['GET', '/v1/agents?limit=1000000000'], 'viewer', [400, 'bad_value']),
  ask('no number', ['GET', '/v1/agents?limit=NaN'], 'viewer', [400, 'bad_value']),
  ask('twice', ['GET', '/v1/agents?limit=1&limit=2'], 'viewer', [400, 'wrong_type']),
  ask('an unknown filter', ['GET', '/v1/agents?where=1=1'], 'viewer', [400, 'unknown_field']),
  ask('a prototype filter', ['GET', '/v1/agents?__proto__=1'], 'viewer', [400, 'unknown_field']),
  ask('SQL', ['GET', `/v1/agents?q=${encodeURIComponent("%' OR 1=1; DROP TABLE agents; --")}`], 'viewer', [
    200,
    '"agents":[]',
  ]),
  ask('an unknown state', ['GET', '/v1/agents?state=DEAD'], 'viewer', [400, 'bad_value']),
  ask('a strange cursor', ['GET', '/v1/agents?cursor=%00'], 'viewer', [400, 'bad_value']),
  ask('a cursor below', ['GET', '/v1/events?after=-5'], 'viewer', [400, 'bad_value']),
  ask('a cursor beyond', ['GET', '/v1/events?after=9007199254740993'], 'viewer', [400, 'bad_value']),
  ask('an id of no stream', ['GET', '/v1/events'], 'viewer', [400, 'bad_value'], {
    headers: { accept: 'text/event-stream', 'last-event-id': 'x; DROP' },
  }),
  ask('a query where none is', ['GET', '/v1/agents/ada?verbose=1'], 'viewer', [400, 'unknown_field']),
  ask('an unknown status', ['GET', '/v1/agents/ada/effects?status=all'], 'viewer', [400, 'bad_value']),
  ask('hours beyond time', ['GET', '/v1/rollups?from=99999999999999999999'], 'viewer', [400, 'bad_value']),
  ask('an agent', ['GET', '/v1/agents'], 'ada', [403, 'forbidden']),
  ask('another agent', ['GET', '/v1/agents/ada'], 'bob', [403, 'forbidden']),
  ask('an enroller', ['GET', '/v1/incidents'], 'enroll', [403, 'forbidden']),
  ask('nobody', ['GET', '/metrics'], null, [401, 'unauthorized']),
];

export const fromPeople: readonly Hostile[] = [...acting, ...reading];
