import { Readable } from 'node:stream';
import { type Agent, canonicalJson, checkpointTextHash, chooseCheckpoint } from '@holter/core';
import type { z } from 'zod';
import { readChain } from '../../engine/stored-chain.ts';
import { fieldWithSecret } from '../../intake/index.ts';
import { redactValue } from '../../redaction/index.ts';
import type { CheckpointHead, StoredCheckpoint } from '../../store/store.ts';
import { agentIdOf, readAgent } from '../access.ts';
import { HttpProblem, problem, refusalOfIntake } from '../problem.ts';
import { defineRoute, type Route } from '../route.ts';
import { checkpoint, limitQuery } from '../schema/requests.ts';
import { checkpointPage, checkpointWritten } from '../schema/views.ts';
import type { Caller } from '../tokens.ts';
import { Turns } from '../turns.ts';
import type { CheckpointView, CheckpointWrittenView } from '../types.ts';
import type { HttpContext } from './context.ts';

const CHECKPOINTS_DEFAULT = 20;
const CHAIN_SEARCHED = 100;
/** Contents under way from the store; each is in memory several times until it is bytes. */
const READ_AT_ONCE = 2;

/** The chain that a successor starts from. Each is hashed with its place in it, so it can't be moved. */
export function checkpointRoutes({ deps, limits, hits }: HttpContext): readonly Route[] {
  const { engine, intake, store, sha256, clock, newId } = deps;
  const turns = new Turns(READ_AT_ONCE);

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
    const same = await store.readCheckpoint(agentId, checkpointId);
    if (same?.hash !== hash)
      throw problem(409, 'checkpoint_exists', 'another checkpoint has this id already', 'checkpointId');
  }

  /** As a start would choose: from the head that the record knows, for the task that is open. */
  async function usableOf({ hard }: Agent): Promise<string | null> {
    const { agentId, task } = hard;
    const place = { agentId, taskId: task?.id ?? null, headId: hard.checkpoint?.id };
    const choice = chooseCheckpoint(await readChain(store, place, sha256), sha256);
    return choice.kind === 'chosen' ? choice.checkpoint.checkpointId : null;
  }

  /**
   * Deletes the oldest, as far as they are older than the one that a successor would start from: what is newer leads
   * to it. An agent that has filled its quota with others is refused.
   */
  async function makeRoom(agent: Agent, { checkpointId, content }: StoredCheckpoint): Promise<void> {
    const { agentId } = agent.hard;
    const { checkpointsPerAgentMax: rowsMax, checkpointBytesPerAgentMax: bytesMax } =
      engine.currentPolicies.quotas;
    const heads = await store.listCheckpoints(agentId, Number.MAX_SAFE_INTEGER);
    if (heads.some((head) => head.checkpointId === checkpointId)) return;
    let rows = heads.length + 1;
    let bytes = heads.reduce((sum, head) => sum + head.bytes, Buffer.byteLength(content));
    if (rows <= rowsMax && bytes <= bytesMax) return;
    const usable = await usableOf(agent);
    const older = heads.slice(1 + heads.findIndex((head) => head.checkpointId === usable)).reverse();
    const evicted: string[] = [];
    for (const head of older) {
      if (rows <= rowsMax && bytes <= bytesMax) break;
      rows -= 1;
      bytes -= head.bytes;
      evicted.push(head.checkpointId);
    }
    if (evicted.length > 0) await store.deleteCheckpoints(agentId, evicted);
    if (rows <= rowsMax && bytes <= bytesMax) return;
    hits.note('checkpoints_per_agent', agentId);
    throw problem(
      413,
      'too_many_checkpoints',
      `an agent may keep ${rowsMax} checkpoints of ${bytesMax} bytes in all beside the one it would start from`,
    );
  }

  return [
    defineRoute({
      method: 'POST',
      url: '/v1/agents/:id/checkpoints',
      summary: 'Write a checkpoint. The same one again changes nothing.',
      access: ['agent', 'operator'],
      example: { content: { done: ['parser'], next: 'tests' } },
      body: checkpoint,
      bodyBytesMax: limits.checkpointBytesMax,
      answers: {
        201: { description: 'Written.', schema: checkpointWritten },
        200: { description: 'It was there already.', schema: checkpointWritten },
        409: { description: 'stale_incarnation, agent_ended, unknown_parent or checkpoint_exists.' },
        413: { description: 'too_many_checkpoints: those that it has fill its quota.' },
        422: { description: 'hash_mismatch: it is not what its hash says.' },
      },
      handle: async ({ params, caller, body, reply, request }): Promise<CheckpointWrittenView> => {
        const agentId = agentIdOf(params, caller);
        const agent = await readAgent(engine, agentId);
        checkCurrent(agent, caller);
        const secret = fieldWithSecret(body, ['checkpointId', 'taskId']);
        if (secret !== null)
          throw problem(400, 'secret_id', `${secret} looks like a secret, and ids are shown`, secret);
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
          throw problem(400, 'bad_value', "a checkpoint can't follow itself", 'parentId');
        const hash = checkpointTextHash(place, canonical.text, sha256);
        if (body.hash !== undefined && body.hash !== hash)
          throw problem(422, 'hash_mismatch', 'the hash is not that of this content in this place', 'hash');
        await checkParent(agent, place.parentId);
        const stored: StoredCheckpoint = { ...place, hash, content: canonical.text };
        await makeRoom(agent, stored);
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
      summary:
        'The newest checkpoints, and which one a successor would start from. Secrets in contents are shown only to the agent itself and to operators.',
      access: ['viewer', 'operator', 'orchestrator', 'agent'],
      query: limitQuery,
      answers: { 200: { description: 'Newest first.', schema: checkpointPage } },
      handle: async ({ params, caller, query, reply }) => {
        const agent = await readAgent(engine, agentIdOf(params, caller));
        const heads = await store.listCheckpoints(agent.hard.agentId, query.limit ?? CHECKPOINTS_DEFAULT);
        const usable = await turns.take(() => usableOf(agent));
        reply.header('content-type', 'application/json; charset=utf-8');
        return reply.send(
          Readable.from(pageOf(heads, usable, showsSecretsTo(caller)), { objectMode: false }),
        );
      },
    }),
  ];

  /** The page, one checkpoint in memory at a time: `content` is JSON already. */
  async function* pageOf(
    heads: readonly CheckpointHead[],
    usable: string | null,
    hasSecrets: boolean,
  ): AsyncGenerator<Buffer> {
    yield Buffer.from('{"checkpoints":[');
    let separator = '';
    for (const head of heads) {
      const text = await turns.take(() => textOf(head, hasSecrets));
      if (text === null) continue;
      yield Buffer.from(separator);
      yield text;
      separator = ',';
    }
    yield Buffer.from(`],"usable":${JSON.stringify(usable)}}`);
  }

  /** As bytes outside the heap, because a slow reader may hold them for long. */
  async function textOf(
    { agentId, checkpointId }: CheckpointHead,
    hasSecrets: boolean,
  ): Promise<Buffer | null> {
    const stored = await store.readCheckpoint(agentId, checkpointId);
    if (!stored) return null;
    const { agentId: _agentId, content, ...head } = stored;
    const isValid = checkpointTextHash(stored, content, sha256) === stored.hash;
    const exact = isValid ? content : readable(content);
    const shown = hasSecrets ? exact : withoutSecrets(exact);
    const isRedacted = shown !== exact;
    const view = { ...head, isValid, isRedacted } satisfies Omit<CheckpointView, 'content'>;
    return Buffer.from(`${JSON.stringify(view).slice(0, -1)},"content":${shown}}`);
  }
}

/** A successor needs the exact content, so it is stored as it was written. */
const showsSecretsTo = ({ role }: Caller): boolean => role === 'agent' || role === 'operator';

/** Searching this much takes a tenth of a second at worst, and nothing else runs meanwhile. */
const SEARCHED_LENGTH_MAX = 1024 * 1024;

/** Returns the same text when there are none. What is longer than can be searched is left out. */
function withoutSecrets(content: string): string {
  if (content.length > SEARCHED_LENGTH_MAX) return 'null';
  const value: unknown = JSON.parse(content);
  const clean = redactValue(value);
  return clean === value ? content : JSON.stringify(clean);
}

/** Damaged content may be no JSON any more, and must not break the page. */
function readable(content: string): string {
  try {
    return JSON.stringify(JSON.parse(content));
  } catch {
    return 'null';
  }
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
