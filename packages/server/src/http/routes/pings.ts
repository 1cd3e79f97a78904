import { type Agent, type DurationMs, type SignalBody, seconds } from '@holter/core';
import type { z } from 'zod';
import { agentIdOf, readAgent } from '../access.ts';
import { HttpProblem, problem, refusalOfIntake } from '../problem.ts';
import { defineRoute, type Route } from '../route.ts';
import { pingKey } from '../schema/requests.ts';
import { heard, pingKeyMade } from '../schema/views.ts';
import type { Caller } from '../tokens.ts';
import type { HeardView, PingKeyMadeView } from '../types.ts';
import type { HttpContext } from './context.ts';

/** What a ping says, given the rest of its path and the beginning of its body. */
type Word = (code: string, output: string) => SignalBody;

const ended = (code: number | null, isDone: boolean, output: string): SignalBody => ({
  kind: 'job-ended',
  outcome: isDone ? 'done' : 'failed',
  ...(code !== null && { code }),
  ...(output !== '' && { output }),
});

const WORDS: readonly (readonly [path: string, summary: string, word: Word])[] = [
  ['', 'A run has ended well.', (_code, output) => ended(null, true, output)],
  ['/start', 'A run begins.', () => ({ kind: 'turn-begun' })],
  ['/fail', 'A run has failed.', (_code, output) => ended(null, false, output)],
  [
    '/:code',
    'A run has ended with this exit code; 0 is success.',
    (code, output) => ended(exitCode(code), exitCode(code) === 0, output),
  ],
];

function exitCode(text: string): number {
  if (/^\d{1,3}$/.test(text) && Number(text) <= 255) return Number(text);
  throw problem(400, 'bad_value', 'code must be an exit code from 0 to 255, `start` or `fail`', 'code');
}

/**
 * For what can call a URL and nothing more: a cron job, a script. The key in the path is the password, and all it
 * can do is report runs of one agent. `rule/job-late.ts` judges them, as healthchecks.io does.
 */
export function pingRoutes({ deps, tokens }: HttpContext): readonly Route[] {
  const { engine, intake, newId } = deps;

  const route = (method: 'GET' | 'POST', [path, summary, word]: (typeof WORDS)[number]): Route =>
    defineRoute<undefined, Buffer | undefined>({
      method,
      url: `/ping/:key${path}`,
      summary: method === 'GET' ? summary : `${summary} The beginning of the body is kept as its output.`,
      access: 'open',
      bodyType: 'any',
      ...(method === 'GET' && { hasHead: true }),
      answers: {
        200: { description: 'Heard.', schema: heard },
        404: { description: 'unknown_key' },
      },
      handle: async ({ params, request, body }): Promise<HeardView> => {
        const caller = await tokens.identifyKey(params.key ?? '', request.ip, 'ping');
        const agent = await readAgent(engine, caller.agentId ?? '');
        const said = word(params.code ?? '', textOf(body));
        // A ping is given no words, so it shows none to have been seen.
        const details = { agentId: agent.hard.agentId, correlationId: request.id, seen: [] };
        for (const signal of [{ kind: 'heartbeat' }, said]) {
          const taken = await intake.take(signal, caller, details);
          if (taken.kind === 'refused') throw new HttpProblem(refusalOfIntake(taken));
        }
        return { ok: true, directives: [] };
      },
    });

  return [
    ...WORDS.map((word) => route('GET', word)),
    ...WORDS.map((word) => route('POST', word)),
    defineRoute({
      method: 'POST',
      url: '/v1/agents/:id/ping-key',
      summary:
        'Make a key for the pings of this agent; an agent that is not known yet is made along with it.',
      access: ['operator'],
      hasSecret: true,
      example: { everySeconds: 86_400, graceSeconds: 7_200 },
      body: pingKey,
      answers: { 201: { description: 'The key; it is shown only now.', schema: pingKeyMade } },
      handle: async ({ params, caller, body, reply, request }): Promise<PingKeyMadeView> => {
        const agentId = agentIdOf(params, caller);
        const known = await engine.read(agentId);
        const { hard } = known ?? (await make(agentId, body, caller, request.id));
        const { incarnation } = hard;
        const { secret } = await tokens.issue({ role: 'agent', agentId, incarnation, use: 'ping' });
        const { job } = hard.promises;
        reply.code(201);
        return {
          agentId,
          incarnation,
          key: secret,
          path: `/ping/${secret}`,
          everySeconds: job ? job.everyMs / 1_000 : null,
          graceSeconds: job ? job.graceMs / 1_000 : null,
          isNew: known === null,
        };
      },
    }),
  ];

  /** Nothing can nudge a cron job, and between its runs it has no work. */
  async function make(
    agentId: string,
    { everySeconds, graceSeconds, role, group }: z.infer<typeof pingKey>,
    caller: Caller,
    correlationId: string,
  ): Promise<Agent> {
    const everyMs = seconds(everySeconds);
    const graceMs = graceSeconds === undefined ? usualGrace(everyMs) : seconds(graceSeconds);
    const answer = await intake.register(
      {
        agentId,
        instanceId: `ping ${newId()}`,
        role,
        group,
        mode: 'nudge',
        promises: { job: { everyMs, graceMs }, turns: true },
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

const usualGrace = (everyMs: DurationMs): DurationMs =>
  Math.min(seconds(3_600), Math.max(seconds(60), everyMs / 4)) as DurationMs;

/** The body may be cut in the middle of a character. */
const textOf = (body: Buffer | undefined): string =>
  body === undefined ? '' : new TextDecoder().decode(body, { stream: true });
