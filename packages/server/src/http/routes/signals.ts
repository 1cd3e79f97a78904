import { agentIdOf } from '../access.ts';
import { errorBody, HttpProblem, problem, refusalOfIntake, refusalOfTaking } from '../problem.ts';
import { defineRoute, type Route } from '../route.ts';
import { heartbeat, signals } from '../schema/signals.ts';
import { heard, signalsHeard } from '../schema/views.ts';
import type { Caller } from '../tokens.ts';
import type { HeardView, SignalsHeardView } from '../types.ts';
import type { HttpContext } from './context.ts';

const SIGNALS_MAX = 1_000;

/** By far the most frequent answer, written once. */
const HEARD = JSON.stringify({ ok: true, directives: [] } satisfies HeardView);
const JSON_TYPE = 'application/json; charset=utf-8';

export function signalRoutes({ deps }: HttpContext): readonly Route[] {
  const { engine, intake, replies } = deps;

  /** What waits for the agent goes with the reply to it, and to nobody else. */
  async function directivesFor(agentId: string, caller: Caller): Promise<HeardView['directives']> {
    if (caller.role !== 'agent') return [];
    const incarnation = caller.incarnation ?? (await engine.read(agentId))?.hard.incarnation ?? 0;
    return [...replies.take(agentId, incarnation)];
  }

  return [
    defineRoute({
      method: 'POST',
      url: '/v1/agents/:id/heartbeat',
      summary: 'The agent lives; the reply carries what Holter has to say to it.',
      access: ['agent', 'operator'],
      example: { phase: 'coding', token_count: 1_200 },
      bodyShown: heartbeat,
      answers: {
        200: { description: 'Heard.', schema: heard },
        409: { description: 'stale_incarnation or agent_ended: register again.' },
        429: { description: 'Too much is waiting; see Retry-After.' },
      },
      handle: async ({ params, caller, body, request, reply }): Promise<HeardView | string> => {
        const agentId = agentIdOf(params, caller);
        const taken = await intake.take(beatOf(body), caller, { agentId, correlationId: request.id });
        if (taken.kind === 'refused') throw new HttpProblem(refusalOfIntake(taken));
        const { notes } = taken;
        const directives =
          caller.role === 'agent' && caller.incarnation !== null
            ? replies.take(agentId, caller.incarnation)
            : await directivesFor(agentId, caller);
        if (notes.length > 0) return { ok: true, directives: [...directives], notes: [...notes] };
        if (directives.length > 0) return { ok: true, directives: [...directives] };
        reply.header('content-type', JSON_TYPE);
        return HEARD;
      },
    }),
    defineRoute({
      method: 'POST',
      url: '/v1/agents/:id/signals',
      summary: 'One signal, or an array of them in order.',
      access: ['agent', 'operator'],
      example: {
        kind: 'call-ended',
        callId: 'c1',
        tool: 'Bash',
        input: { command: 'npm test' },
        isError: true,
      },
      bodyShown: signals,
      answers: {
        200: { description: 'Taken; of an array, see which were not.', schema: signalsHeard },
        429: { description: 'Too much is waiting; see Retry-After.' },
      },
      handle: async ({ params, caller, body, request }): Promise<SignalsHeardView> => {
        const agentId = agentIdOf(params, caller);
        const isMany = Array.isArray(body);
        const values: readonly unknown[] = isMany ? body : [body];
        if (values.length > SIGNALS_MAX)
          throw problem(
            413,
            'too_many_signals',
            `at most ${SIGNALS_MAX} in one array; /v1/signals takes more`,
          );
        const taking = await intake.takeAll(values, caller, { agentId, correlationId: request.id });
        const verdicts = await Promise.all(taking.map(refusalOfTaking));
        const first = verdicts.find((verdict) => verdict !== null);
        if (!isMany && first) throw new HttpProblem(first);
        const refusals = verdicts.flatMap((refusal, index) =>
          refusal ? [{ index, ...errorBody(refusal) }] : [],
        );
        return {
          ok: refusals.length === 0,
          accepted: values.length - refusals.length,
          refused: refusals,
          directives: await directivesFor(agentId, caller),
        };
      },
    }),
  ];
}

/** Seed 000 §2 has no `kind`: the path says what it is. */
function beatOf(body: unknown): unknown {
  if (body === undefined || body === null) return { kind: 'heartbeat' };
  if (typeof body !== 'object' || Array.isArray(body)) return body;
  if (Object.hasOwn(body, 'kind') && (body as { kind: unknown }).kind !== 'heartbeat')
    throw problem(400, 'unknown_kind', 'this path takes heartbeats only; /signals takes the rest', 'kind');
  return Object.assign(body, { kind: 'heartbeat' });
}
