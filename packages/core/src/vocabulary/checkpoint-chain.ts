import { canonicalJson } from '../base/canonical.ts';
import { InvariantError } from '../base/invariant.ts';
import type { Instant } from '../base/time.ts';

/**
 * A successor starts from a checkpoint. Each checkpoint names its parent, so an agent's checkpoints form a chain,
 * and each carries a SHA-256 of its content, so a torn or altered one is detected. Recovery takes the newest valid
 * one, or the start of the task if there is none (seed 000 §5).
 */
export type Checkpoint = {
  readonly checkpointId: string;
  readonly parentId: string | null;
  readonly agentId: string;
  readonly taskId: string | null;
  readonly incarnation: number;
  readonly at: Instant;
  /** Any JSON value; Holter does not interpret it. */
  readonly content: unknown;
  readonly hash: string;
};

export type Sha256 = (text: string) => string;

type Validity =
  | { readonly kind: 'valid' }
  | { readonly kind: 'invalid'; readonly because: 'hash-mismatch' | 'content-not-json' };

type SkipReason =
  | Extract<Validity, { kind: 'invalid' }>['because']
  /** The chain refers to it, but it does not exist. */
  | 'missing'
  | 'foreign-agent'
  | 'foreign-task'
  /** It is its own ancestor. */
  | 'cycle'
  | 'chain-too-long';

type Skipped = { readonly id: string; readonly because: SkipReason };

export type Choice =
  | { readonly kind: 'chosen'; readonly checkpoint: Checkpoint; readonly skipped: readonly Skipped[] }
  | { readonly kind: 'task-start'; readonly skipped: readonly Skipped[] };

/** A checkpoint that a person picked, as the shell found it; `flaw` says why it can't be used. */
export type PickedCheckpoint = { readonly id: string; readonly hash: string; readonly flaw?: SkipReason };

/** The chain's owner and head, and the existing checkpoints in any order. */
export type CheckpointChain = {
  readonly agentId: string;
  readonly taskId: string | null;
  readonly headId: string | null;
  readonly checkpoints: readonly Checkpoint[];
};

/** A day of checkpoints at one every two minutes. Anything older is hardly better than the start of the task. */
export const CHAIN_LENGTH_MAX = 720;

/**
 * The input of a checkpoint's hash: its content and its place in the chain, so that valid content can't be moved to
 * another task. Time and incarnation are left out, because the server assigns them and the writer does not know
 * them.
 */
function hashedText(checkpoint: Omit<Checkpoint, 'hash'>): string | undefined {
  const { checkpointId, parentId, agentId, taskId, content } = checkpoint;
  const canonical = canonicalJson({ checkpointId, parentId, agentId, taskId, content });
  return canonical.kind === 'canonical' ? canonical.text : undefined;
}

/** The content must be JSON: callers check it with `canonicalJson` first. */
export function checkpointHash(checkpoint: Omit<Checkpoint, 'hash'>, sha256: Sha256): string {
  const text = hashedText(checkpoint);
  if (text === undefined) throw new InvariantError(`checkpoint ${checkpoint.checkpointId} is not JSON`);
  return sha256(text);
}

/** The same, of content that is canonical JSON already: large content need not be parsed to be checked. */
export function checkpointTextHash(
  { checkpointId, parentId, agentId, taskId }: Omit<Checkpoint, 'hash' | 'content'>,
  canonicalContent: string,
  sha256: Sha256,
): string {
  const [before, after] = [
    { agentId, checkpointId },
    { parentId, taskId },
  ].map((fields) => JSON.stringify(fields).slice(1, -1));
  return sha256(`{${before},"content":${canonicalContent},${after}}`);
}

export function validate(checkpoint: Checkpoint, sha256: Sha256): Validity {
  const text = hashedText(checkpoint);
  if (text === undefined) return { kind: 'invalid', because: 'content-not-json' };
  return sha256(text) === checkpoint.hash ? { kind: 'valid' } : { kind: 'invalid', because: 'hash-mismatch' };
}

/**
 * Follows the parent links from the head, newest to oldest, to the first valid checkpoint. The content of an invalid
 * one is not used, but its link is still followed: every checkpoint that it leads to is validated on its own. Where
 * the chain names one that does not exist, which an agent may claim of any id, it goes on with the newest that do.
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
    if (because === 'cycle' || because === 'chain-too-long') break;
    visited.add(id);
    id = checkpoint === undefined ? newestUnvisited(chain, visited) : checkpoint.parentId;
  }
  return { kind: 'task-start', skipped };
}

function newestUnvisited({ checkpoints }: CheckpointChain, visited: ReadonlySet<string>): string | null {
  let newest: Checkpoint | null = null;
  for (const checkpoint of checkpoints)
    if (!visited.has(checkpoint.checkpointId) && (newest === null || checkpoint.at > newest.at))
      newest = checkpoint;
  return newest?.checkpointId ?? null;
}

/** The checkpoint that a person named. It may be an older one, but it has to be valid. */
export function pickCheckpoint(chain: CheckpointChain, id: string, sha256: Sha256): PickedCheckpoint {
  const checkpoint = chain.checkpoints.find(({ checkpointId }) => checkpointId === id);
  const flaw = skipReason(chain, checkpoint, sha256);
  return { id, hash: checkpoint?.hash ?? '', ...(flaw !== undefined && { flaw }) };
}

/** Why the walk can't continue. */
function stopReason(
  id: string,
  checkpoint: Checkpoint | undefined,
  visited: ReadonlySet<string>,
): SkipReason | undefined {
  if (visited.has(id)) return 'cycle';
  if (visited.size >= CHAIN_LENGTH_MAX) return 'chain-too-long';
  return checkpoint === undefined ? 'missing' : undefined;
}

/** Why this checkpoint can't be used, although an older one may be. */
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
