import { type Agent, canonicalJson, checkpointHash, chooseCheckpoint } from '@holter/core';
import type { z } from 'zod';
import type { StoredCheckpoint } from '../../store/store.ts';
import { agentIdOf, readAgent } from '../access.ts';
import { HttpProblem, problem, refusalOfIntake } from '../problem.ts';
import { defineRoute, type Route } from '../route.ts';
import { checkpoint, limitQuery } from '../schema/requests.ts';
import { checkpointPage, checkpointWritten } from '../schema/views.ts';
import type { Caller } from '../tokens.ts';
import type { CheckpointPage, CheckpointWrittenView } from '../types.ts';
import type { HttpContext } from './context.ts';

const CHECKPOINTS_DEFAULT = 20;
const CHAIN_SEARCHED = 100;

/** The chain that a successor starts from. Each is hashed with its place in it, so it can't be moved. */
export function checkpointRoutes({ deps, limits }: HttpContext): readonly Route[] {
  const { engine, intake, store, sha256, clock, newId } = deps;

  /** A parent that nobody has would end the chain there. */
  async function checkParent({ hard }: Agent, parentId: string | null): Promise<void> {
    if (parentId === null || parentId === hard.checkpoint?.id) return;
    const known = await store.listCheckpoints(hard.agentId, CHAIN_SEARCHED);
    if (!known.some(({ checkpointId }) => checkpointId === parentId))
      throw problem(409, 'unknown_parent', 'there is no checkpoint of this id to follow', 'parentId');
  }

  /** Left out, it follows the newest; but one that is the newest already still follows what it followed. */
  async function placeOf(
    { hard }: Agent,
    { checkpointId, parentId, taskId }: z.infer<typeof checkpoint>,
  ): Promise<{ parentId: string | null; taskId: string | null }> {
    const head = hard.checkpoint?.id ?? null;
    const isHead = checkpointId !== undefined && checkpointId === head;
    const known = isHead ? await store.listCheckpoints(hard.agentId, CHAIN_SEARCHED) : [];
    const same = known.find((each) => each.checkpointId === checkpointId);
    return {
      parentId: parentId === undefined ? (same ? same.parentId : head) : parentId,
      taskId: taskId === undefined ? (same ? same.taskId : (hard.task?.id ?? null)) : taskId,
    };
  }

  async function checkSameAgain({ agentId, checkpointId, hash }: StoredCheckpoint): Promise<void> {
    const known = await store.listCheckpoints(agentId, CHAIN_SEARCHED);
    const same = known.find((each) => each.checkpointId === checkpointId);
    if (same?.hash !== hash)
      throw problem(409, 'checkpoint_exists', 'another checkpoint has this id already', 'checkpointId');
  }

  return [
    defineRoute({
      method: 'POST',
      url: '/v1/agents/:id/checkpoints',
      summary: 'Write a checkpoint. The same one again changes nothing.',
      access: ['agent', 'operator'],
      body: checkpoint,
      bodyBytesMax: limits.checkpointBytesMax,
      answers: {
        201: { description: 'Written.', schema: checkpointWritten },
        200: { description: 'It was there already.', schema: checkpointWritten },
        409: { description: 'stale_incarnation, agent_ended, unknown_parent or checkpoint_exists.' },
        422: { description: 'hash_mismatch: it is not what its hash says.' },
      },
      handle: async ({ params, caller, body, reply, request }): Promise<CheckpointWrittenView> => {
        const agentId = agentIdOf(params, caller);
        const agent = await readAgent(engine, agentId);
        checkCurrent(agent, caller);
        const canonical = canonicalJson(body.content);
        if (canonical.kind !== 'canonical')
          throw problem(
            400,
            'bad_value',
            `content is ${canonical.because} at ${canonical.path.slice(0, 80)}`,
            'content',
          );
        const { hard } = agent;
        const place = {
          agentId,
          checkpointId: body.checkpointId ?? newId(),
          ...(await placeOf(agent, body)),
          incarnation: hard.incarnation,
          at: clock.now(),
        };
        if (place.parentId === place.checkpointId)
          throw problem(400, 'bad_value', 'a checkpoint can not follow itself', 'parentId');
        const hash = checkpointHash({ ...place, content: body.content }, sha256);
        if (body.hash !== undefined && body.hash !== hash)
          throw problem(422, 'hash_mismatch', 'the hash is not that of this content in this place', 'hash');
        await checkParent(agent, place.parentId);
        const stored: StoredCheckpoint = { ...place, hash, content: canonical.text };
        const outcome = await store.putCheckpoint(stored);
        if (outcome === 'exists') await checkSameAgain(stored);
        // With an id: if the answer was lost, the same again is folded in once.
        const taken = await intake.take(signalOf(stored), caller, { correlationId: request.id });
        if (taken.kind === 'refused') throw new HttpProblem(refusalOfIntake(taken));
        reply.code(outcome === 'stored' ? 201 : 200);
        const { checkpointId, parentId, taskId } = stored;
        return { checkpointId, parentId, taskId, hash };
      },
    }),
    defineRoute({
      method: 'GET',
      url: '/v1/agents/:id/checkpoints',
      summary: 'The newest checkpoints, and which one a successor would start from.',
      access: ['viewer', 'operator', 'orchestrator', 'agent'],
      query: limitQuery,
      answers: { 200: { description: 'Newest first.', schema: checkpointPage } },
      handle: async ({ params, caller, query }): Promise<CheckpointPage> => {
        const agentId = agentIdOf(params, caller);
        const { hard } = await readAgent(engine, agentId);
        const stored = await store.listCheckpoints(agentId, query.limit ?? CHECKPOINTS_DEFAULT);
        const checkpoints = stored.map((each) => ({ ...each, content: JSON.parse(each.content) as unknown }));
        // As a start would choose: from the head that the record knows, for the task that is open.
        const headId = hard.checkpoint?.id ?? checkpoints[0]?.checkpointId ?? null;
        const taskId = hard.task?.id ?? null;
        const choice = chooseCheckpoint({ agentId, taskId, headId, checkpoints }, sha256);
        return {
          checkpoints: checkpoints.map(({ agentId: _agentId, ...each }) => ({
            ...each,
            isValid: checkpointHash({ agentId, ...each }, sha256) === each.hash,
          })),
          usable: choice.kind === 'chosen' ? choice.checkpoint.checkpointId : null,
        };
      },
    }),
  ];
}

/** The core refuses a stale start too, but only after the checkpoint would have been stored. */
function checkCurrent({ hard }: Agent, caller: Caller): void {
  if (caller.incarnation !== null && caller.incarnation !== hard.incarnation)
    throw problem(409, 'stale_incarnation', 'a newer start of this agent is registered');
  if (hard.end) throw problem(409, 'agent_ended', 'the agent has ended');
}

const signalOf = ({ agentId, incarnation, checkpointId, parentId, hash }: StoredCheckpoint) => ({
  kind: 'checkpoint' as const,
  id: checkpointId,
  agentId,
  incarnation,
  checkpointId,
  ...(parentId !== null && { parentId }),
  hash,
});
