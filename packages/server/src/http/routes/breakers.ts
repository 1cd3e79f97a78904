import { type Agent, type BreakerAct, type DurationMs, minutes } from '@holter/core';
import { z } from 'zod';
import { refusalOfAnswer } from '../../intake/index.ts';
import { nearest } from '../../policy/index.ts';
import { redact } from '../../redaction/index.ts';
import { agentIdOf, checkMayDecide, decidedBy, readAgent } from '../access.ts';
import { breakerNamed, breakersOf } from '../breaker-view.ts';
import { HttpProblem, problem, refusalOfIntake } from '../problem.ts';
import { defineRoute, type Route } from '../route.ts';
import { breakerPage, breakerTold } from '../schema/page-views.ts';
import { label, line, reason } from '../schema/parts.ts';
import type { Caller } from '../tokens.ts';
import type { BreakerPage, BreakerToldView } from '../types.ts';
import type { HttpContext } from './context.ts';

const readers = ['viewer', 'operator', 'orchestrator'] as const;
const users = ['agent', 'operator', 'orchestrator'] as const;
const MANY_MAX = 100;
const AGENTS_MAX = 500;
const ISOLATED_MINUTES = 60;

const whole = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const permit = z.strictObject({
  generation: whole,
  permitId: whole,
  durationMs: z.number().min(0).max(86_400_000).optional(),
});
/** One, or many in one round trip; nothing at all asks once. */
const orMany = <T extends z.ZodType>(one: T) => z.union([one, z.array(one).min(1).max(MANY_MAX)]);
const asks = orMany(z.strictObject({}));
const reports = orMany(permit);
const by = line(100).optional();

const answers = {
  200: { description: 'How the breaker is now, and one answer for each ask.', schema: breakerTold },
  403: { description: 'forbidden: the agent is of another group, or the breaker is for Holter alone.' },
  404: { description: 'unknown_agent, or unknown_breaker: a reset of one that was never asked.' },
  409: { description: 'stale_incarnation: the token belongs to another start of the agent.' },
};

type Asker = { readonly params: Readonly<Record<string, string>>; readonly caller: Caller };

/** Circuit breakers that many callers of one agent share: they survive a restart and open for all at once. */
export function breakerRoutes({ deps, fleet }: HttpContext): readonly Route[] {
  const { engine, clock } = deps;

  async function tell({ params, caller }: Asker, acts: readonly BreakerAct[]): Promise<BreakerToldView> {
    const agentId = agentIdOf(params, caller);
    const name = nameOf(params);
    // An agent's token opens its own breakers; for the others it depends on the group.
    if (caller.role !== 'agent') checkMayDecide(caller, await readAgent(engine, agentId));
    const incarnation = caller.incarnation ?? undefined;
    const told: BreakerToldView['answers'] = [];
    let agent: Agent | null = null;
    // One after the other: the second ask has to see what the first one took.
    for (const act of acts) {
      const call = { name, act, roll: rollOf(deps), ...(incarnation !== undefined && { incarnation }) };
      const answer = await engine.breaker(agentId, call);
      const refusal = refusalOfAnswer(answer, agentId);
      if (refusal !== null) throw new HttpProblem(refusalOfIntake(refusal));
      if (answer.kind !== 'folded') throw problem(500, 'internal', 'the breaker was not asked');
      agent = answer.agent;
      if (answer.permit) told.push(answer.permit);
    }
    const newest = agent ?? (await readAgent(engine, agentId));
    return { breaker: breakerNamed(newest, name, clock.now()), answers: told };
  }

  const report = (word: 'success' | 'failure'): Route =>
    defineRoute({
      method: 'POST',
      url: `/v1/agents/:id/breakers/:name/${word}`,
      summary: `Report ${word} of a call that a permit was given for; an array reports many.`,
      access: users,
      body: reports,
      answers,
      handle: ({ params, caller, body }) =>
        tell(
          { params, caller },
          [body].flat().map(({ generation, permitId, durationMs }) => ({
            kind: 'report',
            report: {
              generation,
              permitId,
              outcome: word,
              ...(durationMs !== undefined && { durationMs: durationMs as DurationMs }),
            },
          })),
        ),
    });

  return [
    defineRoute({
      method: 'GET',
      url: '/v1/agents/:id/breakers',
      summary: 'The breakers of one agent.',
      access: [...readers, 'agent'],
      answers: { 200: { description: 'Those that were ever asked.', schema: breakerPage } },
      handle: async ({ params, caller }): Promise<BreakerPage> => {
        const agent = await readAgent(engine, agentIdOf(params, caller));
        return { breakers: breakersOf(agent, clock.now()) };
      },
    }),
    defineRoute({
      method: 'GET',
      url: '/v1/breakers',
      summary: 'The breakers of all agents that ever asked one.',
      access: readers,
      answers: { 200: { description: 'Open ones first.', schema: breakerPage } },
      handle: async (): Promise<BreakerPage> => {
        await fleet.ready();
        const agents = await Promise.all(
          fleet
            .withBreakers()
            .slice(0, AGENTS_MAX)
            .map((id) => engine.read(id)),
        );
        const breakers = agents.flatMap((agent) => (agent ? breakersOf(agent, clock.now()) : []));
        const rank = { OPEN: 0, HALF_OPEN: 1, CLOSED: 2 };
        return { breakers: breakers.sort((a, b) => rank[a.state] - rank[b.state]) };
      },
    }),
    defineRoute({
      method: 'POST',
      url: '/v1/agents/:id/breakers/:name/acquire',
      summary: 'May I? An array asks for many at once.',
      access: users,
      body: asks,
      answers,
      handle: ({ params, caller, body }) =>
        tell(
          { params, caller },
          [body].flat().map(() => ({ kind: 'acquire' })),
        ),
    }),
    report('success'),
    report('failure'),
    defineRoute({
      method: 'POST',
      url: '/v1/agents/:id/breakers/:name/isolate',
      summary: 'Hold it open, whatever is reported.',
      access: ['operator', 'orchestrator'],
      body: z.strictObject({
        reason,
        by,
        minutes: z
          .number()
          .positive()
          .max(7 * 24 * 60)
          .default(ISOLATED_MINUTES),
      }),
      answers,
      handle: ({ params, caller, body }) => {
        const forMs = Math.round(minutes(body.minutes)) as DurationMs;
        const words = { by: decidedBy(caller, body.by), reason: redact(body.reason) };
        return tell({ params, caller }, [{ kind: 'isolate', ...words, forMs }]);
      },
    }),
    defineRoute({
      method: 'POST',
      url: '/v1/agents/:id/breakers/:name/reset',
      summary: 'Close it, and forget what was counted.',
      access: ['operator', 'orchestrator'],
      body: z.strictObject({ reason, by }),
      answers,
      handle: async ({ params, caller, body }) => {
        const agent = await readAgent(engine, agentIdOf(params, caller));
        checkMayDecide(caller, agent);
        checkAsked(agent, nameOf(params));
        const words = { by: decidedBy(caller, body.by), reason: redact(body.reason) };
        return tell({ params, caller }, [{ kind: 'reset', ...words }]);
      },
    }),
  ];
}

/** From 0 to 1. An id has dice enough in it, and no other part of this side rolls any. */
const rollOf = ({ newId, sha256 }: HttpContext['deps']): number =>
  Number.parseInt(sha256(newId()).slice(0, 8), 16) / 0xffff_ffff;

/** Resetting a breaker that was never asked would only make one with a wrong name. */
function checkAsked({ hard }: Agent, name: string): void {
  const names = Object.keys(hard.breakers ?? {});
  if (names.includes(name)) return;
  const meant = nearest(name, names);
  const next = meant ? `did you mean ${meant}?` : `it has ${names.join(', ') || 'none'}`;
  throw problem(404, 'unknown_breaker', `the agent has no breaker of this name; ${next}`, 'name');
}

/** Names become keys of the record, as ids do. */
function nameOf(params: Readonly<Record<string, string>>): string {
  const parsed = label.safeParse(params.name);
  if (parsed.success) return parsed.data;
  throw problem(400, 'bad_value', 'a name has 1 to 128 of A-Z a-z 0-9 . _ @ : -', 'name');
}
