import type { Effect } from '@holter/core';
import type { ExecutorHub } from '../../executors/index.ts';
import { redact } from '../../redaction/index.ts';
import { type HttpProblem, problem } from '../problem.ts';
import { defineRoute, type Route } from '../route.ts';
import { effects, poll, presented, receipt, received, runRecord } from '../schema/executors.ts';

type Polled = { readonly effects: readonly Effect[]; readonly lookEverySeconds: number | null };

const executorIds = /^run:[A-Za-z0-9-]{1,64}$/;

/**
 * The way of a `holter run` to its effects. Only an operator's token opens it: whoever carries out effects
 * kills and starts processes in the user's name.
 */
export function executorRoutes(hub: ExecutorHub): readonly Route[] {
  return [
    defineRoute({
      method: 'POST',
      url: '/v1/executors/:executor',
      summary: 'A `holter run` says that it is there, and which process it looks after.',
      access: ['operator'],
      body: runRecord,
      answers: { 200: { description: 'Known from now on; poll without a pause.', schema: presented } },
      handle: async ({ params, body }) => {
        const executorId = executorIdOf(params);
        await hub.present({ executorId, ...body });
        return { executorId, pollWithinSeconds: 3 };
      },
    }),
    defineRoute({
      method: 'POST',
      url: '/v1/executors/:executor/poll',
      summary: 'Effects for this executor; waits for one as long as it may.',
      access: ['operator'],
      body: poll,
      answers: {
        200: { description: 'What it does not have yet; often nothing.', schema: effects },
        404: { description: 'unknown_executor: it should say again that it is there.' },
      },
      handle: async ({ params, body, request }): Promise<Polled> => {
        // A run that was killed takes its socket along: that is noticed at once, not when the wait is over.
        const { socket } = request.raw;
        let hangUp: () => void = () => undefined;
        const hungUp = new Promise<void>((resolve) => {
          hangUp = resolve;
        });
        socket.once('close', hangUp);
        const executorId = executorIdOf(params);
        // The first answer does not wait: it tells the run how often to look.
        const waitMs = hub.knowsCare(executorId) ? body.waitSeconds * 1_000 : 0;
        const found = await hub.poll(executorId, body.have, waitMs, hungUp);
        // The connection is used again by the next poll, and the one after it.
        socket.off('close', hangUp);
        if (!found) throw unknownExecutor();
        const lookEveryMs = await hub.lookEveryMs(executorId);
        return { effects: found, lookEverySeconds: lookEveryMs === null ? null : lookEveryMs / 1_000 };
      },
    }),
    defineRoute({
      method: 'POST',
      url: '/v1/executors/:executor/receipts',
      summary: 'What became of an effect.',
      access: ['operator'],
      body: receipt,
      answers: { 200: { description: '`ok` is false when nobody waits for it any more.', schema: received } },
      handle: async ({ params, body }) => ({
        ok: await hub.receipt(executorIdOf(params), body.effectId, body.outcome, redact(body.detail)),
      }),
    }),
    defineRoute({
      method: 'DELETE',
      url: '/v1/executors/:executor',
      summary: 'It leaves in order: its child has ended, and nothing is left to look after.',
      access: ['operator'],
      answers: { 200: { description: 'Forgotten.', schema: received } },
      handle: async ({ params }) => {
        await hub.leave(executorIdOf(params));
        return { ok: true };
      },
    }),
  ];
}

function executorIdOf({ executor = '' }: Readonly<Record<string, string>>): string {
  if (!executorIds.test(executor))
    throw problem(400, 'bad_value', 'an executor is called run:<uuid>', 'executor');
  return executor;
}

const unknownExecutor = (): HttpProblem => problem(404, 'unknown_executor', 'no executor with this id');
