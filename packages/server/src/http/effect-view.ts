import { type EffectKind, type ExecutorState, executorInWords, type Hard } from '@holter/core';
import type { StoredEffect } from '../store/store.ts';
import { endDetail } from './end-view.ts';
import type { EffectView } from './types.ts';

/** What an effect is about, beside its row. */
type Context = { readonly hard: Hard; readonly executor: ExecutorState };

export function effectView(stored: StoredEffect, context: Context): EffectView {
  const { effect, status, outcome, detail, tries, createdAt, correlationId } = stored;
  return {
    effectId: effect.id,
    kind: effect.kind,
    incarnation: effect.incarnation,
    executor: effect.executor,
    status,
    outcome,
    detail,
    tries,
    createdAt,
    correlationId,
    message: 'message' in effect ? effect.message : 'reason' in effect ? effect.reason : null,
    ...resultOf(stored, context),
  };
}

type Words = { readonly done: string; readonly failed: string; readonly not: string; readonly open: string };

const WORDS: Readonly<Partial<Record<EffectKind, Words>>> = {
  nudge: {
    done: 'got the nudge',
    failed: 'could not be nudged',
    not: 'was not nudged',
    open: 'has not read the nudge yet',
  },
  'request-handoff': {
    done: 'was asked for a handoff note',
    failed: 'could not be asked for a handoff note',
    not: 'was not asked for a handoff note',
    open: 'has not been asked for a handoff note yet',
  },
  terminate: {
    done: 'was stopped',
    failed: 'could not be stopped',
    not: 'was not stopped',
    open: 'is not stopped yet',
  },
  spawn: {
    done: 'was restarted',
    failed: 'could not be restarted',
    not: 'was not restarted',
    open: 'is not restarted yet',
  },
};

/** What became of an order, as the end of a sentence about the agent, or what it waits for. */
function resultOf(stored: StoredEffect, context: Context): Pick<EffectView, 'result' | 'summary'> {
  const { effect, status, outcome, detail } = stored;
  const words = WORDS[effect.kind];
  const said = (result: EffectView['result'], word: keyof Words, why: string) => ({
    result,
    summary: words ? `${words[word]}${why === '' ? '' : `: ${why}`}` : null,
  });
  if (status === 'pending' || status === 'claimed') {
    const obstacle = whyWaiting(stored, context);
    return obstacle === null ? said('under-way', 'open', 'under way') : said('waiting', 'open', obstacle);
  }
  if (outcome === 'cancelled') return said('failed', 'not', whyCancelled(stored, context));
  if (status === 'dead' || outcome === 'refused' || outcome === 'unknown')
    return said('failed', 'failed', detail || 'no reason was given');
  // Its executor is the agent itself, which was only asked to stop.
  if (effect.kind === 'terminate' && outcome !== 'done')
    return { result: 'done', summary: 'was asked to stop' };
  if (effect.kind === 'nudge' && outcome === 'seen') return { result: 'done', summary: 'has read the nudge' };
  return said('done', 'done', effect.kind === 'nudge' ? '' : detail);
}

/** Null while somebody is carrying it out. */
function whyWaiting({ effect, isOffered, detail }: StoredEffect, { executor }: Context): string | null {
  if (effect.executor !== null && executor === 'away')
    return `its ${executorInWords(effect.executor)} is not connected`;
  return isOffered ? detail : null;
}

/** A commit that ends what an effect was for cancels it without saying why; the record knows. */
function whyCancelled({ effect, detail }: StoredEffect, { hard }: Context): string {
  if (effect.incarnation !== hard.incarnation) return 'it has started again since';
  if (effect.kind !== 'spawn' && hard.end) return `it had ended already (${endDetail(hard.end)})`;
  if (effect.kind === 'spawn' && !hard.end) return 'it is running';
  return detail;
}
