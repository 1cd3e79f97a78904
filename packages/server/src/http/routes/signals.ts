import { isSignal } from '../../intake/intake.ts';
import { agentIdOf } from '../access.ts';
import type { HttpContext } from '../context.ts';
import { errorBody, HttpProblem, problem, type Refusal } from '../problem.ts';
import { defineRoute, type Route } from '../route.ts';
import { heartbeat, signals } from '../schema/requests.ts';
import { heard, signalsHeard } from '../schema/views.ts';
import type { Caller } from '../tokens.ts';
import type { HeardView, SignalsHeardView } from '../types.ts';

const SIGNALS_MAX = 1_000;

/** By far the most frequent answer, written once. */
const HEARD = JSON.stringify({ ok: true, directives: [] } satisfies HeardView);
const JSON_TYPE = 'application/json; charset=utf-8';

export function signalRoutes({ deps, intake }: HttpContext): readonly Route[] {
  const { engine, replies, clock } = deps;

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
      bodyShown: heartbeat,
      answers: {
        200: { description: 'Heard.', schema: heard },
        409: { description: 'stale_incarnation or agent_ended: register again.' },
        429: { description: 'Too much is waiting; see Retry-After.' },
      },
      handle: async ({ params, caller, body, request, reply }): Promise<HeardView | string> => {
        const agentId = agentIdOf(params, caller);
        const beat = beatOf(body);
        const signal = intake.read(beat, caller, agentId);
        if (!isSignal(signal)) throw new HttpProblem(signal);
        const refusal = await intake.take(signal, caller, request.id);
        if (refusal) throw new HttpProblem(refusal);
        const notes = futureNotes(beat, clock.now());
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
        const verdicts = await takeAll(values, caller, agentId, request.id);
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

  /** All are given to the engine in one go and in order; the answers may come in any. */
  async function takeAll(
    values: readonly unknown[],
    caller: Caller,
    agentId: string,
    correlationId: string,
  ): Promise<readonly (Refusal | null)[]> {
    const read = values.map((value) => intake.read(value, caller, agentId));
    const first = read.find(isSignal);
    const { incarnation } = first ? await intake.prepare(first, caller) : {};
    return Promise.all(
      read.map((signal) => {
        if (!isSignal(signal)) return signal;
        const full = incarnation === undefined ? signal : { incarnation, ...signal };
        return intake.give(full, caller, correlationId);
      }),
    );
  }
}

/** Seed 000 §2 has no `kind`: the path says what it is. */
function beatOf(body: unknown): unknown {
  if (body === undefined || body === null) return { kind: 'heartbeat' };
  if (typeof body !== 'object' || Array.isArray(body)) return body;
  if (Object.hasOwn(body, 'kind') && (body as { kind: unknown }).kind !== 'heartbeat')
    throw problem(400, 'unknown_kind', 'this path takes heartbeats only; /signals takes the rest', 'kind');
  return Object.assign(body, { kind: 'heartbeat' });
}

/** The agent's clock is ahead of ours: taken as now, and said so. */
function futureNotes(beat: unknown, now: number): readonly string[] {
  const given = beat as Readonly<Record<string, unknown>>;
  if (given.timestamp === undefined && given.lastToolCall === undefined && given.last_tool_call === undefined)
    return NO_NOTES;
  return ['timestamp', 'lastToolCall', 'last_tool_call'].flatMap((name) => {
    const value = given[name];
    if (value === undefined) return [];
    const ms = typeof value === 'string' ? Date.parse(value) : Number(value);
    return ms > now + CLOCK_SKEW_MS ? [`${name} was in the future; taken as now`] : [];
  });
}

const NO_NOTES: readonly string[] = [];

/** Clocks of two machines differ by this much on a good day. */
const CLOCK_SKEW_MS = 1_000;
