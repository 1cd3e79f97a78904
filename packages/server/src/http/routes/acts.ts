import {
  type Agent,
  type Decision,
  type DurationMs,
  type FindingKind,
  minutes,
  pickCheckpoint,
} from '@holter/core';
import type { z } from 'zod';
import type { Reader } from '../../channels/index.ts';
import { readPicked } from '../../engine/stored-chain.ts';
import { redact } from '../../redaction/index.ts';
import { agentIdOf, checkMayDecide, decidedBy, readAgent, readerOf, unknownAgent } from '../access.ts';
import { HttpProblem } from '../problem.ts';
import { defineRoute, type Route } from '../route.ts';
import { aboutFinding, act, decision, nudge, recover, snooze, terminate } from '../schema/requests.ts';
import { decided } from '../schema/views.ts';
import type { Caller } from '../tokens.ts';
import type { DecidedView } from '../types.ts';
import { type HttpContext, viewOf } from './context.ts';

type ChoiceOf<D> = D extends Decision ? Omit<D, 'by' | 'reason' | 'incidentId'> : never;
type Choice = ChoiceOf<Decision>;
/** Some choices need a look at what the agent has. */
type Choosing = Choice | ((agent: Agent) => Promise<Choice>);
type Words = { readonly reason: string; readonly by?: string | undefined };

const deciders = ['operator', 'orchestrator'] as const;
const MORE_TIME_MINUTES = 15;
const answers = {
  200: { description: 'Decided; how the agent is now.', schema: decided },
  409: {
    description: "decision_rejected: why it can't be done; `reason` is a code, `message` says it in words.",
  },
};

/** A person, or the orchestrator of the group, decides. What they say is on record with who and why. */
export function actRoutes({ deps }: HttpContext): readonly Route[] {
  const { engine, store, notices, sha256 } = deps;

  async function decide(
    agentId: string,
    caller: Caller,
    words: Words,
    choose: Choosing,
    context: { correlationId: string; reader: Reader; incidentId?: string },
  ): Promise<DecidedView> {
    const before = await readAgent(engine, agentId);
    checkMayDecide(caller, before);
    const { correlationId, incidentId } = context;
    const given: Decision = {
      by: decidedBy(caller, words.by),
      reason: redact(words.reason),
      ...(incidentId !== undefined && { incidentId }),
      ...(engine.isStarterGone(before.hard.executor) && { isStarterGone: true as const }),
      ...(typeof choose === 'function' ? await choose(before) : choose),
    };
    const answer = await engine.decide(agentId, given, correlationId);
    if (answer.kind !== 'folded') throw unknownAgent(agentId);
    if (answer.rejected !== undefined) throw rejection(answer.rejected);
    if (given.decision === 'acknowledge') await takeDown(answer.agent, context.reader);
    return { ok: true, agent: viewOf(deps, answer.agent) };
  }

  /** Whoever acknowledges an incident has no use for the notices about it. */
  async function takeDown({ hard }: Agent, reader: Reader): Promise<void> {
    const unread = await notices.list();
    const about = unread.filter(({ incidentId }) => incidentId !== null && incidentId === hard.incident?.id);
    await notices.read(new Set(about.map(({ noticeId }) => noticeId)), reader);
  }

  /** The core refuses a checkpoint that nothing can start from; here it is only looked up. */
  const from =
    (word: 'recover' | 'terminate_and_recover', checkpointId: string | undefined) =>
    async ({ hard: { agentId, task } }: Agent): Promise<Choice> => {
      if (checkpointId === undefined) return { decision: word };
      const picked = await readPicked(store, { agentId, taskId: task?.id ?? null }, checkpointId);
      return { decision: word, from: pickCheckpoint(picked, checkpointId, sha256) };
    };

  const route = <Body extends Words>(
    word: string,
    summary: string,
    body: z.ZodType<Body>,
    choose: (body: Body) => Choosing,
  ): Route =>
    defineRoute({
      method: 'POST',
      url: `/v1/agents/:id/${word}`,
      summary,
      access: deciders,
      body,
      answers,
      handle: ({ params, caller, body: given, request }) =>
        decide(agentIdOf(params, caller), caller, given, choose(given), {
          correlationId: request.id,
          reader: readerOf(request, caller),
        }),
    });

  return [
    route('recover', 'Bring an agent back that has ended.', recover, ({ checkpointId }) =>
      from('recover', checkpointId),
    ),
    route('pause', 'Judge its progress no more until it is resumed.', act, () => ({ decision: 'pause' })),
    route('resume', 'Judge it again.', act, () => ({ decision: 'resume' })),
    route(
      'wrong',
      'What was found is wrong: forget what was counted, and be quiet about it for a while.',
      aboutFinding,
      ({ finding }) => ({ decision: 'dismiss', ...about(finding) }),
    ),
    route('nudge', 'Say something to the agent, in its own context.', nudge, ({ message, source }) => ({
      decision: 'nudge',
      ...(message !== undefined && { message: redact(message) }),
      ...(source && { source }),
    })),
    route(
      'terminate',
      'Stop it; with `recover`, start it again from a good checkpoint.',
      terminate,
      ({ recover: isRecovered, checkpointId }) =>
        isRecovered ? from('terminate_and_recover', checkpointId) : { decision: 'terminate' },
    ),
    route('force-handoff', 'Ask it for a handoff note, then let a successor go on.', act, () => ({
      decision: 'force_handoff',
    })),
    route(
      'snooze',
      'Be quiet about it, or about one kind of finding, for some minutes.',
      snooze,
      ({ minutes: count, finding }) => moreTime(count, finding),
    ),
    route('wake', 'Take such quiet back.', aboutFinding, ({ finding }) => ({
      decision: 'wake',
      ...about(finding),
    })),
    ...['/v1/incidents/:incidentId/decision', '/v1/incidents/:id/:number/decision'].map((url) =>
      defineRoute({
        method: 'POST',
        url,
        summary: 'Decide about an open incident.',
        access: deciders,
        example: { decision: 'allow_more_time', minutes: 15, reason: 'a long refactoring, it is fine' },
        body: decision,
        answers,
        handle: ({ params, caller, body, request }) => {
          const incidentId = params.incidentId ?? `${params.id}/${params.number}`;
          const id = incidentId.slice(0, Math.max(0, incidentId.lastIndexOf('/')));
          const context = { correlationId: request.id, reader: readerOf(request, caller), incidentId };
          return decide(agentIdOf({ id }, caller), caller, body, choiceOf(body), context);
        },
      }),
    ),
  ];

  function choiceOf(body: z.infer<typeof decision>): Choosing {
    const { decision: word, minutes: count = MORE_TIME_MINUTES, finding, checkpointId } = body;
    switch (word) {
      case 'allow_more_time':
        return moreTime(count, finding);
      case 'wake':
      case 'dismiss':
        return { decision: word, ...about(finding) };
      case 'recover':
      case 'terminate_and_recover':
        return from(word, checkpointId);
      default:
        return { decision: word };
    }
  }
}

const rejection = ({ code, because }: { code: string; because: string }): HttpProblem =>
  new HttpProblem({ status: 409, code: 'decision_rejected', reason: code, message: because });

const about = (finding: FindingKind | undefined): { finding?: FindingKind } =>
  finding === undefined ? {} : { finding };

const moreTime = (count: number, finding: FindingKind | undefined): Choice => ({
  decision: 'allow_more_time',
  forMs: Math.round(minutes(count)) as DurationMs,
  ...about(finding),
});
