import type { Inferred, Promises } from '../record/agent.ts';
import type { Draft } from '../record/draft.ts';

/** The first sign of a kind is a promise, unless the agent has made that promise itself. */
export function infer(draft: Draft, kind: keyof Inferred): void {
  const { hard, at } = draft;
  if (isInferable(hard, kind)) hard.inferred = { ...hard.inferred, [kind]: at };
}

export const isInferable = (
  { inferred, promises }: { readonly inferred?: Inferred; readonly promises: Promises },
  kind: keyof Inferred,
): boolean => inferred !== undefined && inferred[kind] === undefined && !isPromised(promises, kind);

function isPromised(promises: Promises, kind: keyof Inferred): boolean {
  // A job is judged by its schedule alone.
  if (promises.job) return true;
  if (kind === 'beats') return promises.beatEveryMs !== undefined || promises.pongs === true;
  return promises[kind === 'lastCalls' ? 'calls' : kind] !== undefined;
}
