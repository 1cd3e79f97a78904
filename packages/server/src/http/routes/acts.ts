import { type Decision, type DurationMs, minutes } from '@holter/core';
import { agentIdOf, checkMayDecide, readAgent } from '../access.ts';
import { type HttpContext, viewOf } from '../context.ts';
import { problem } from '../problem.ts';
import { redact } from '../redact.ts';
import { defineRoute, type Route } from '../route.ts';
import { act, decision, nudge, snooze, terminate } from '../schema/requests.ts';
import { decided } from '../schema/views.ts';
import type { Caller } from '../tokens.ts';
import type { DecidedView } from '../types.ts';

type Choice<D> = D extends Decision ? Omit<D, 'by' | 'reason' | 'incidentId'> : never;
type Words = { readonly reason: string; readonly by?: string | undefined };

const deciders = ['operator', 'orchestrator'] as const;
const MORE_TIME_MINUTES = 15;
const answers = {
  200: { description: 'Decided; how the agent is now.', schema: decided },
  409: { description: 'decision_rejected: why it can not be done.' },
};

/** A person, or the orchestrator of the group, decides. What they say is on record with who and why. */
export function actRoutes({ deps }: HttpContext): readonly Route[] {
  const { engine } = deps;

  async function decide(
    agentId: string,
    caller: Caller,
    words: Words,
    choice: Choice<Decision>,
    context: { correlationId: string; incidentId?: string },
  ): Promise<DecidedView> {
    checkMayDecide(caller, await readAgent(engine, agentId));
    const { correlationId, incidentId } = context;
    const given: Decision = {
      by: whoOf(caller, words.by),
      reason: redact(words.reason),
      ...(incidentId !== undefined && { incidentId }),
      ...choice,
    };
    const answer = await engine.decide(agentId, given, correlationId);
    if (answer.kind !== 'folded') throw problem(404, 'unknown_agent', 'nobody knows this agent');
    if (answer.rejected !== undefined) throw problem(409, 'decision_rejected', answer.rejected);
    return { ok: true, agent: viewOf(deps, answer.agent) };
  }

  const plain = (word: 'recover' | 'pause' | 'resume', summary: string): Route =>
    defineRoute({
      method: 'POST',
      url: `/v1/agents/:id/${word}`,
      summary,
      access: deciders,
      body: act,
      answers,
      handle: ({ params, caller, body, request }) =>
        decide(agentIdOf(params, caller), caller, body, { decision: word }, { correlationId: request.id }),
    });

  return [
    plain('recover', 'Bring an agent back that has ended.'),
    plain('pause', 'Judge its progress no more until it is resumed.'),
    plain('resume', 'Judge it again.'),
    defineRoute({
      method: 'POST',
      url: '/v1/agents/:id/wrong',
      summary: 'What was found is wrong: forget what was counted, and be quiet about it for a while.',
      access: deciders,
      body: act,
      answers,
      handle: ({ params, caller, body, request }) =>
        decide(
          agentIdOf(params, caller),
          caller,
          body,
          { decision: 'dismiss' },
          { correlationId: request.id },
        ),
    }),
    defineRoute({
      method: 'POST',
      url: '/v1/agents/:id/nudge',
      summary: 'Say something to the agent, in its own context.',
      access: deciders,
      body: nudge,
      answers,
      handle: ({ params, caller, body, request }) => {
        const message = body.message === undefined ? undefined : redact(body.message);
        const choice = { decision: 'nudge' as const, ...(message !== undefined && { message }) };
        return decide(agentIdOf(params, caller), caller, body, choice, { correlationId: request.id });
      },
    }),
    defineRoute({
      method: 'POST',
      url: '/v1/agents/:id/terminate',
      summary: 'Stop it; with `recover`, start it again from its last good checkpoint.',
      access: deciders,
      body: terminate,
      answers,
      handle: ({ params, caller, body, request }) => {
        const choice = {
          decision: body.recover ? ('terminate_and_recover' as const) : ('terminate' as const),
        };
        return decide(agentIdOf(params, caller), caller, body, choice, { correlationId: request.id });
      },
    }),
    defineRoute({
      method: 'POST',
      url: '/v1/agents/:id/snooze',
      summary: 'Be quiet about it for some minutes.',
      access: deciders,
      body: snooze,
      answers,
      handle: ({ params, caller, body, request }) =>
        decide(agentIdOf(params, caller), caller, body, moreTime(body.minutes), {
          correlationId: request.id,
        }),
    }),
    ...['/v1/incidents/:incidentId/decision', '/v1/incidents/:id/:number/decision'].map((url) =>
      defineRoute({
        method: 'POST',
        url,
        summary: 'Decide about an open incident.',
        access: deciders,
        body: decision,
        answers,
        handle: ({ params, caller, body, request }) => {
          const incidentId = params.incidentId ?? `${params.id}/${params.number}`;
          const id = incidentId.slice(0, Math.max(0, incidentId.lastIndexOf('/')));
          const word = body.decision;
          const choice =
            word === 'allow_more_time' ? moreTime(body.minutes ?? MORE_TIME_MINUTES) : { decision: word };
          return decide(agentIdOf({ id }, caller), caller, body, choice, {
            correlationId: request.id,
            incidentId,
          });
        },
      }),
    ),
  ];
}

const moreTime = (count: number): { decision: 'allow_more_time'; forMs: DurationMs } => ({
  decision: 'allow_more_time',
  forMs: Math.round(minutes(count)) as DurationMs,
});

/** The token is what is proven; a name beside it is what its bearer says. */
const whoOf = (caller: Caller, name: string | undefined): string =>
  name === undefined ? caller.who : `${redact(name)} (${caller.who})`;
