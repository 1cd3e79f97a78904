import { type Agent, type SignalBody, seconds } from '@holter/core';
import { agentIdOf, readAgent } from '../access.ts';
import { HttpProblem, problem, refusalOfIntake } from '../problem.ts';
import { defineRoute, type Route } from '../route.ts';
import { pingKey } from '../schema/requests.ts';
import { heard, pingKeyMade } from '../schema/views.ts';
import type { Caller } from '../tokens.ts';
import type { HeardView, PingKeyMadeView } from '../types.ts';
import type { HttpContext } from './context.ts';

type Word = 'ping' | 'start' | 'fail';

/**
 * For what can call a URL and nothing more: a cron job, a script. The key in the path is the password, and
 * all it can do is beat for one agent. `start` and the ping after it frame a run; `fail` is a run gone wrong.
 */
export function pingRoutes({ deps, tokens }: HttpContext): readonly Route[] {
  const { engine, intake, newId } = deps;

  const route = (word: Word, url: string, summary: string): Route =>
    defineRoute({
      method: 'POST',
      url,
      summary,
      access: 'open',
      bodyType: 'any',
      answers: {
        200: { description: 'Heard.', schema: heard },
        404: { description: 'unknown_key' },
      },
      handle: async ({ params, request }): Promise<HeardView> => {
        const caller = await tokens.identifyPing(params.key ?? '', request.ip);
        const agent = await readAgent(engine, caller.agentId ?? '');
        // A ping is given no words, so it shows none to have been seen.
        const details = { agentId: agent.hard.agentId, correlationId: request.id, seen: [] };
        for (const signal of signalsOf(word, agent)) {
          const taken = await intake.take(signal, caller, details);
          if (taken.kind === 'refused') throw new HttpProblem(refusalOfIntake(taken));
        }
        return { ok: true, directives: [] };
      },
    });

  return [
    route('ping', '/ping/:key', 'It lives, and whatever it was doing went well.'),
    route('start', '/ping/:key/start', 'A run begins.'),
    route('fail', '/ping/:key/fail', 'A run went wrong.'),
    defineRoute({
      method: 'POST',
      url: '/v1/agents/:id/ping-key',
      summary: 'Make a key that beats for this agent; an agent that nobody knows is made along with it.',
      access: ['operator'],
      hasSecret: true,
      body: pingKey,
      answers: { 201: { description: 'The key; it is shown only now.', schema: pingKeyMade } },
      handle: async ({ params, caller, body, reply, request }): Promise<PingKeyMadeView> => {
        const agentId = agentIdOf(params, caller);
        const agent = (await engine.read(agentId)) ?? (await make(agentId, body, caller, request.id));
        const { incarnation } = agent.hard;
        const { secret } = await tokens.issue({ role: 'agent', agentId, incarnation, isPing: true });
        reply.code(201);
        return { agentId, incarnation, key: secret, path: `/ping/${secret}` };
      },
    }),
  ];

  /** Nothing can nudge a cron job, and between its runs it has no work. */
  async function make(
    agentId: string,
    { everySeconds, role, group }: { everySeconds: number; role: string; group: string },
    caller: Caller,
    correlationId: string,
  ): Promise<Agent> {
    const answer = await intake.register(
      {
        agentId,
        instanceId: `ping ${newId()}`,
        role,
        group,
        mode: 'nudge',
        promises: { beatEveryMs: seconds(everySeconds), turns: true },
        can: [],
        executor: null,
      },
      caller,
      correlationId,
    );
    if (answer.kind !== 'enrolled' || answer.enrollment.kind !== 'enrolled')
      throw problem(409, 'agent_running', 'an agent of this id has just been registered');
    return answer.agent;
  }
}

/** Failures are a running total in a beat: one that has risen is a failure, a steady one ends the row. */
function signalsOf(word: Word, { hard }: Agent): readonly SignalBody[] {
  const errors = hard.errorCount ?? 0;
  const beat: SignalBody = { kind: 'heartbeat', errorCount: word === 'fail' ? errors + 1 : errors };
  if (word === 'start') return [beat, { kind: 'turn-begun' }];
  return hard.turnSince === undefined ? [beat] : [beat, { kind: 'turn-ended' }];
}
