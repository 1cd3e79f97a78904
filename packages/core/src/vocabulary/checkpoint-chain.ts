import { canonicalJson } from '../base/canonical.ts';
import { InvariantError } from '../base/invariant.ts';
import type { Instant } from '../base/time.ts';

/**
 * A checkpoint is what a successor starts from. Each names its parent, so an agent's checkpoints form a
 * chain; each carries a SHA-256 of what it says, so a torn or altered one shows. Recovery takes the newest
 * that is sound, and the start of the task if none is (seed 000 §5).
 */
export type Checkpoint = {
  readonly checkpointId: string;
  readonly parentId: string | null;
  readonly agentId: string;
  readonly taskId: string | null;
  readonly incarnation: number;
  readonly at: Instant;
  /** Any JSON value; what is in it is the agent's business. */
  readonly content: unknown;
  readonly hash: string;
};

export type Sha256 = (text: string) => string;

type Validity =
  | { readonly kind: 'valid' }
  | { readonly kind: 'invalid'; readonly because: 'hash-mismatch' | 'content-not-json' };

type SkipReason =
  | Extract<Validity, { kind: 'invalid' }>['because']
  /** The chain names it, but it is not there. */
  | 'missing'
  | 'foreign-agent'
  | 'foreign-task'
  /** It is its own ancestor; what follows has been seen. */
  | 'cycle'
  | 'chain-too-long';

type Skipped = { readonly id: string; readonly because: SkipReason };

export type Choice =
  | { readonly kind: 'chosen'; readonly checkpoint: Checkpoint; readonly skipped: readonly Skipped[] }
  | { readonly kind: 'task-start'; readonly skipped: readonly Skipped[] };

/** A checkpoint that a person picked, as the shell found it; `flaw` says why nothing can start from it. */
export type PickedCheckpoint = { readonly id: string; readonly hash: string; readonly flaw?: SkipReason };

/** Whose chain it is, where it begins, and the checkpoints that there are, in any order. */
export type CheckpointChain = {
  readonly agentId: string;
  readonly taskId: string | null;
  readonly headId: string | null;
  readonly checkpoints: readonly Checkpoint[];
};

/** A day of a checkpoint every other minute. Older work is nearer to a new start than to a recovery. */
export const CHAIN_LENGTH_MAX = 720;

/**
 * What a checkpoint's hash is taken over: the content with its place in the chain, so that a sound content
 * can't be moved to another task. Time and incarnation are the server's, which the writer does not know.
 */
function hashedText(checkpoint: Omit<Checkpoint, 'hash'>): string | undefined {
  const { checkpointId, parentId, agentId, taskId, content } = checkpoint;
  const canonical = canonicalJson({ checkpointId, parentId, agentId, taskId, content });
  return canonical.kind === 'canonical' ? canonical.text : undefined;
}

/** The content must be JSON: whoever takes it in asks `canonicalJson` first. */
export function checkpointHash(checkpoint: Omit<Checkpoint, 'hash'>, sha256: Sha256): string {
  const text = hashedText(checkpoint);
  if (text === undefined) throw new InvariantError(`checkpoint ${checkpoint.checkpointId} is not JSON`);
  return sha256(text);
}

export function validate(checkpoint: Checkpoint, sha256: Sha256): Validity {
  const text = hashedText(checkpoint);
  if (text === undefined) return { kind: 'invalid', because: 'content-not-json' };
  return sha256(text) === checkpoint.hash ? { kind: 'valid' } : { kind: 'invalid', because: 'hash-mismatch' };
}

/**
 * From the head along the parent links, newest to oldest, to the first sound checkpoint. An unsound one is
 * not believed in what it holds, but its link is still the best hint to what came before: wherever it
 * leads, each checkpoint is judged by itself.
 */
export function chooseCheckpoint(chain: CheckpointChain, sha256: Sha256): Choice {
  const byId = new Map<string, Checkpoint>();
  for (const checkpoint of chain.checkpoints) {
    if (!byId.has(checkpoint.checkpointId)) byId.set(checkpoint.checkpointId, checkpoint);
  }

  const skipped: Skipped[] = [];
  const visited = new Set<string>();
  let id = chain.headId;
  while (id !== null) {
    const checkpoint = byId.get(id);
    const because = stopReason(id, checkpoint, visited) ?? skipReason(chain, checkpoint, sha256);
    if (checkpoint !== undefined && because === undefined) return { kind: 'chosen', checkpoint, skipped };
    if (because !== undefined) skipped.push({ id, because });
    if (checkpoint === undefined || because === 'cycle' || because === 'chain-too-long') break;
    visited.add(id);
    id = checkpoint.parentId;
  }
  return { kind: 'task-start', skipped };
}

/** One that a person names, wherever it lies: an older one is theirs to choose, an unsound one is nobody's. */
export function pickCheckpoint(chain: CheckpointChain, id: string, sha256: Sha256): PickedCheckpoint {
  const checkpoint = chain.checkpoints.find(({ checkpointId }) => checkpointId === id);
  const flaw = skipReason(chain, checkpoint, sha256);
  return { id, hash: checkpoint?.hash ?? '', ...(flaw !== undefined && { flaw }) };
}

/** Why the walk can't go on. */
function stopReason(
  id: string,
  checkpoint: Checkpoint | undefined,
  visited: ReadonlySet<string>,
): SkipReason | undefined {
  if (visited.has(id)) return 'cycle';
  if (visited.size >= CHAIN_LENGTH_MAX) return 'chain-too-long';
  return checkpoint === undefined ? 'missing' : undefined;
}

/** Why this one will not do, though an older one may. */
function skipReason(
  chain: CheckpointChain,
  checkpoint: Checkpoint | undefined,
  sha256: Sha256,
): SkipReason | undefined {
  if (checkpoint === undefined) return 'missing';
  if (checkpoint.agentId !== chain.agentId) return 'foreign-agent';
  if (checkpoint.taskId !== chain.taskId) return 'foreign-task';
  const validity = validate(checkpoint, sha256);
  return validity.kind === 'invalid' ? validity.because : undefined;
}
