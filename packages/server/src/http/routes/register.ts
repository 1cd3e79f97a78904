import {
  type Agent,
  AUTHORITY,
  type Capability,
  type Enrollment,
  isOrderedStart,
  isPingedRole,
  type Patience,
  type Policy,
  type Promises,
  type Registration,
  seconds,
} from '@holter/core';
import { sourceOf } from '../../intake/index.ts';
import { checkPatience } from '../../policy/index.ts';
import { HttpProblem, problem, refusalOfIntake } from '../problem.ts';
import { defineRoute, type Route } from '../route.ts';
import { type PromisesBody, type RegistrationBody, registration } from '../schema/requests.ts';
import { registered } from '../schema/views.ts';
import type { Caller } from '../tokens.ts';
import type { RegisteredView } from '../types.ts';
import { type HttpContext, policyOf } from './context.ts';

export function registerRoutes({ deps, tokens, hits }: HttpContext): readonly Route[] {
  return [
    defineRoute({
      method: 'POST',
      url: '/v1/agents',
      summary: 'An agent, or whoever started it, says that it is there.',
      access: ['enroll', 'operator', 'agent'],
      hasSecret: true,
      example: { agentId: 'ada', instanceId: 'host-1:4711', promises: { beatEverySeconds: 30, tasks: true } },
      body: registration,
      answers: {
        201: { description: 'A new start.', schema: registered },
        200: { description: 'The same instance again: the same start.', schema: registered },
        409: {
          description:
            'agent_running: another instance of this name is alive; see Retry-After. agent_owned: only the run that owns it may replace it. unknown_spawn_key: no start with this key is under way.',
        },
        429: {
          description: 'too_many_starts: it has started too often in the last minute; see Retry-After.',
        },
      },
      handle: async ({ body, caller, reply, request }): Promise<RegisteredView> => {
        checkClaims(body, caller);
        const before = await deps.engine.read(body.agentId);
        const asked = body.patience && checkPatience(deps.engine.currentPolicies, body, body.patience);
        const registering = registrationOf(body, caller, before, asked?.patience);
        const answer = await deps.intake.register(registering, caller, request.id);
        if (answer.kind === 'refused') {
          if (answer.code === 'too_many_agents')
            hits.note('agents_per_token', `${caller.role} ${caller.tokenId}`);
          if (answer.code === 'too_many_starts') hits.note('starts_per_agent', body.agentId);
          throw new HttpProblem(refusalOfIntake(answer));
        }
        if (answer.kind !== 'enrolled') throw problem(500, 'internal', 'the agent was not registered');
        if (answer.enrollment.kind === 'refused') throw refusalOf(answer.enrollment);
        const { agentId, incarnation, promises } = answer.agent.hard;
        const stops = stopsOf(answer.agent, policyOf(deps.engine, answer.agent));
        const { secret } = await tokens.issue({ role: 'agent', agentId, incarnation });
        reply.code(before?.hard.incarnation === incarnation ? 200 : 201);
        return {
          agentId,
          incarnation,
          token: secret,
          heartbeatEverySeconds: promises.beatEveryMs === undefined ? null : promises.beatEveryMs / 1_000,
          refusedSettings: (asked?.refused ?? []).map((each) => ({ ...each })),
          stops,
        };
      },
    }),
  ];
}

/** Without a decision an agent is stopped only in mode `act`, and only if it can be brought back. */
function stopsOf({ hard: { mode, can } }: Agent, { escalation }: Policy): RegisteredView['stops'] {
  if (mode !== 'act' || !can.includes('terminate') || !can.includes('spawn')) return null;
  return { afterSeconds: escalation.waitMs / 1_000, from: escalation.isUnattended ? 'notice' : 'reading' };
}

/** Agents are not believed about what Holter acts upon. */
function checkClaims(
  { agentId, promises, mode, can, executor, patience }: RegistrationBody,
  caller: Caller,
): void {
  const source = sourceOf(caller, agentId);
  if (source === 'other-agent')
    throw problem(403, 'forbidden', 'this token speaks for another agent', 'agentId');
  if (AUTHORITY[source].claims) return;
  const claims: readonly [field: string, isClaimed: boolean][] = [
    ['promises.process', promises?.process === true],
    ['mode', mode === 'act'],
    ['can', can?.some((each) => each === 'terminate' || each === 'spawn') === true],
    ['executor', executor !== undefined && executor !== null],
    ['patience', patience !== undefined],
  ];
  for (const [field, isClaimed] of claims) {
    if (isClaimed)
      throw problem(403, 'operator_needed', `${field} of this kind needs an operator token`, field);
  }
}

/** A successor that Holter ordered inherits what its predecessor was registered with by the operator. */
function registrationOf(
  body: RegistrationBody,
  caller: Caller,
  before: Agent | null,
  asked: Patience | undefined,
): Registration {
  const { agentId, instanceId, role, group, host, taskId, spawnKey } = body;
  const old = before?.hard;
  const isOrdered = old !== undefined && caller.role !== 'operator' && isOrderedStart(before, spawnKey);
  const promises = body.promises ? promisesOf(body.promises) : promisesOfRole(body);
  const patience = isOrdered ? old.patience : asked;
  return {
    agentId,
    instanceId,
    role,
    group,
    mode: isOrdered ? old.mode : (body.mode ?? 'nudge'),
    promises: isOrdered && old.promises.process ? { ...promises, process: true } : promises,
    can: isOrdered ? old.can : capabilitiesOf(body),
    executor: isOrdered ? old.executor : (body.executor ?? null),
    ...(host !== undefined && { host }),
    ...(patience !== undefined && { patience }),
    ...(taskId !== undefined && { taskId }),
    ...(spawnKey !== undefined && { spawnKey }),
  };
}

/** Whoever calls in can be nudged: in the reply. */
const capabilitiesOf = ({ can }: RegistrationBody): readonly Capability[] => [
  ...new Set<Capability>(can ?? ['nudge']),
];

function promisesOf({ beatEverySeconds, calls, ...flags }: PromisesBody): Promises {
  const kept = Object.fromEntries(Object.entries(flags).filter(([, isPromised]) => isPromised === true));
  return {
    ...kept,
    ...(beatEverySeconds !== undefined && { beatEveryMs: seconds(beatEverySeconds) }),
    ...(calls && {
      // Seed 000 §2: 900 s without a call are 900 s, unless the agent knows how long its model call may hang.
      calls: { modelTimeoutMs: seconds(calls === true ? 0 : calls.modelTimeoutSeconds) },
    }),
  };
}

/** An agent with a role of seed 001 that says nothing else about itself is known to answer pings. */
const promisesOfRole = ({ role, executor = null }: RegistrationBody): Promises =>
  executor === null && isPingedRole(role) ? { pongs: true } : {};

function refusalOf({ code, retryAfterMs }: Extract<Enrollment, { kind: 'refused' }>): HttpProblem {
  switch (code) {
    case 'unknown_spawn_key':
      return problem(409, code, 'no start with this key is under way', 'spawnKey');
    case 'agent_owned':
      return problem(
        409,
        code,
        'a `holter run` owns this agent; only that run, or an operator, may start another instance of it',
      );
    case 'agent_running':
    case 'other_reporter':
      return running(retryAfterMs);
  }
}

const running = (retryAfterMs: number): HttpProblem =>
  new HttpProblem({
    status: 409,
    code: 'agent_running',
    message: 'another instance of this agent is alive; it may be replaced once it has missed a beat',
    retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / 1_000)),
  });
