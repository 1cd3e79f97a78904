import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { refusalOf } from './problem.ts';
import * as requests from './schema/requests.ts';
import { taskChange } from './schema/tasks.ts';

const why = { reason: 'x' };

describe('what is wrong with a request', () => {
  it.each<[schema: z.ZodType, body: unknown, message: string]>([
    [requests.act, undefined, 'the body is missing'],
    [requests.act, [], 'the body must be an object'],
    [requests.act, {}, 'reason is missing'],
    [requests.act, { reason: 7 }, 'reason must be text'],
    [requests.act, { reason: '' }, 'reason must have at least 1 character'],
    [requests.act, { reason: 'x'.repeat(1_001) }, 'reason must have at most 1000 characters'],
    [requests.act, { reason: ' ' }, 'reason must not be blank'],
    [requests.act, { ...why, raeson: 1 }, 'raeson is not a field of this call'],
    [requests.snooze, { ...why, minutes: -1 }, 'minutes must be more than 0'],
    [requests.snooze, { ...why, minutes: 1e6 }, 'minutes must be at most 10080'],
    [requests.snooze, { ...why, minutes: '5' }, 'minutes must be a number'],
    [
      requests.newToken,
      { role: 'root' },
      'role must be one of agent, enroll, hook, viewer, operator, orchestrator',
    ],
    [
      taskChange,
      { status: 'odd', taskId: 'T' },
      'status must be one of assigned, updated, done, failed, cancelled',
    ],
    [
      requests.registration,
      { agentId: 'a b', instanceId: 'i' },
      'agentId must have 1 to 128 of A-Z a-z 0-9 . _ @ : -',
    ],
    [
      requests.registration,
      { agentId: 'ada', instanceId: 'i', promises: { calls: 'yes' } },
      'promises.calls has none of the shapes that are allowed here',
    ],
    [
      requests.registration,
      { agentId: 'ada', instanceId: 'i', can: ['nudge', 'fly'] },
      'can.1 must be one of nudge, deny-call, terminate, spawn, resume',
    ],
    [requests.agentQuery, { limit: '5000' }, 'limit must be from 1 to 500'],
    [requests.decision, { ...why, decision: 'wake', minutes: 5 }, 'minutes is only for allow_more_time'],
  ])('%# is said in a sentence', (schema, body, message) => {
    const { error } = schema.safeParse(body);
    expect(refusalOf(error).message).toBe(message);
  });
});
