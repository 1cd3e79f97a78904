import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../base/canonical.ts';
import { instant } from '../base/time.ts';
import {
  CHAIN_LENGTH_MAX,
  type Checkpoint,
  type CheckpointChain,
  checkpointHash,
  checkpointTextHash,
  chooseCheckpoint,
  pickCheckpoint,
  validate,
} from './checkpoint-chain.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

function checkpoint(id: string, parentId: string | null, changes: Partial<Checkpoint> = {}): Checkpoint {
  const plain = {
    checkpointId: id,
    parentId,
    agentId: 'ada',
    taskId: 't1',
    incarnation: 1,
    at: instant(0),
    content: { id },
    ...changes,
  };
  return { hash: checkpointHash(plain, sha256), ...plain };
}

const corrupt = (sound: Checkpoint): Checkpoint => ({ ...sound, content: 'altered' });

function chain(headId: string | null, checkpoints: readonly Checkpoint[]): CheckpointChain {
  return { agentId: 'ada', taskId: 't1', headId, checkpoints };
}

/** The choice in one line: the chosen checkpoint, then each skipped one and why. */
function told(of: CheckpointChain): string {
  const choice = chooseCheckpoint(of, sha256);
  const start = choice.kind === 'chosen' ? choice.checkpoint.checkpointId : 'task start';
  return [start, ...choice.skipped.map(({ id, because }) => `${id}: ${because}`)].join(', ');
}

describe('checkpointHash', () => {
  test('does not depend on the order of keys', () => {
    const a = checkpoint('c1', null, { content: { x: 1, y: [2] } });
    expect(checkpoint('c1', null, { content: { y: [2], x: 1 } }).hash).toBe(a.hash);
  });

  test.each([
    ['content', { content: 'other' }],
    ['id', { checkpointId: 'c9' }],
    ['parent', { parentId: 'c0' }],
    ['agent', { agentId: 'bob' }],
    ['task', { taskId: null }],
  ])('covers the %s', (_, change) => {
    const sound = checkpoint('c1', null);
    expect(validate(sound, sha256)).toEqual({ kind: 'valid' });
    expect(validate({ ...sound, ...change }, sha256)).toEqual({ kind: 'invalid', because: 'hash-mismatch' });
  });

  test('is the same for content that is canonical text already', () => {
    const place = fc.record({
      checkpointId: fc.string(),
      agentId: fc.string(),
      parentId: fc.option(fc.string()),
      taskId: fc.option(fc.string()),
    });
    fc.assert(
      fc.property(place, fc.jsonValue(), (fields, content) => {
        const whole = checkpoint('c1', null, { ...fields, content });
        const canonical = canonicalJson(content);
        if (canonical.kind !== 'canonical') return;
        expect(checkpointTextHash(whole, canonical.text, sha256)).toBe(whole.hash);
      }),
    );
  });

  test('content that is not JSON is invalid, and hashing it throws', () => {
    const sound = checkpoint('c1', null);
    expect(validate({ ...sound, content: { n: Number.NaN } }, sha256)).toEqual({
      kind: 'invalid',
      because: 'content-not-json',
    });
    expect(() => checkpoint('c1', null, { content: undefined })).toThrow('c1 is not JSON');
  });
});

describe('chooseCheckpoint', () => {
  const c1 = checkpoint('c1', null);
  const c2 = checkpoint('c2', 'c1', { at: instant(2) });
  const c3 = checkpoint('c3', 'c2', { at: instant(3) });

  test.each([
    ['the newest, if it is sound', chain('c3', [c1, c2, c3]), 'c3'],
    ['the one before a corrupt one', chain('c3', [corrupt(c3), c2, c1]), 'c2, c3: hash-mismatch'],
    [
      'the oldest, if only it is sound',
      chain('c3', [c1, corrupt(c2), corrupt(c3)]),
      'c1, c3: hash-mismatch, c2: hash-mismatch',
    ],
    ['the start of the task without any', chain(null, [c1]), 'task start'],
    [
      'the start of the task if none is sound',
      chain('c2', [corrupt(c2), corrupt(c1)]),
      'task start, c2: hash-mismatch, c1: hash-mismatch',
    ],
    [
      'an older one beyond a missing parent',
      chain('c3', [c1, corrupt(c3)]),
      'c1, c3: hash-mismatch, c2: missing',
    ],
    ['the newest that is sound if the head is missing', chain('c9', [c1, c2, c3]), 'c3, c9: missing'],
    [
      'an older one if the head is missing and the newest is corrupt',
      chain('c9', [corrupt(c3), c2, c1]),
      'c2, c9: missing, c3: hash-mismatch',
    ],
    [
      'the start of the task if the head is missing and none is sound',
      chain('c9', [corrupt(c1)]),
      'task start, c9: missing, c1: hash-mismatch',
    ],
    [
      'no work of another agent',
      chain('x', [checkpoint('x', 'c1', { agentId: 'bob' }), c1]),
      'c1, x: foreign-agent',
    ],
    [
      'no work on another task',
      chain('x', [checkpoint('x', 'c1', { taskId: 't2' }), c1]),
      'c1, x: foreign-task',
    ],
    [
      'nothing from a ring',
      chain('a', [corrupt(checkpoint('a', 'b')), corrupt(checkpoint('b', 'a'))]),
      'task start, a: hash-mismatch, b: hash-mismatch, a: cycle',
    ],
  ])('takes %s', (_, of, expected) => {
    expect(told(of)).toBe(expected);
  });

  test('gives up on an endless chain', () => {
    const long = Array.from({ length: CHAIN_LENGTH_MAX + 50 }, (_, i) =>
      corrupt(checkpoint(`c${i}`, `c${i + 1}`)),
    );
    const choice = chooseCheckpoint(chain('c0', long), sha256);
    expect(choice.kind).toBe('task-start');
    expect(choice.skipped).toHaveLength(CHAIN_LENGTH_MAX + 1);
    expect(choice.skipped.at(-1)?.because).toBe('chain-too-long');
  });

  test('agrees with a naive implementation on any graph of links', () => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const link = fc.option(fc.constantFrom(...ids, 'gone'), { nil: null });
    const tangled = fc.record({
      id: fc.constantFrom(...ids),
      parentId: link,
      agentId: fc.constantFrom('ada', 'ada', 'ada', 'bob'),
      taskId: fc.constantFrom('t1', 't1', 't1', null),
      isSound: fc.boolean(),
    });
    const tangles = fc.uniqueArray(tangled, { selector: ({ id }) => id });
    fc.assert(
      fc.property(tangles, link, (parts, headId) => {
        const checkpoints = parts.map(({ id, parentId, agentId, taskId, isSound }) => {
          const sound = checkpoint(id, parentId, { agentId, taskId });
          return isSound ? sound : corrupt(sound);
        });
        const choice = chooseCheckpoint(chain(headId, checkpoints), sha256);
        const usable = new Set(
          parts.filter((p) => p.isSound && p.agentId === 'ada' && p.taskId === 't1').map((p) => p.id),
        );
        const chosen = choice.kind === 'chosen' ? choice.checkpoint.checkpointId : undefined;
        expect(chosen).toBe(naiveWalk(parts, headId).find((id) => usable.has(id)));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('pickCheckpoint', () => {
  const older = checkpoint('c1', null);
  const newer = checkpoint('c2', 'c1');
  const damaged = corrupt(checkpoint('c3', 'c2'));
  const foreign = checkpoint('c4', 'c3', { taskId: 't0' });
  const all = chain('c4', [foreign, damaged, newer, older]);

  test('takes an older checkpoint if it is valid, with its hash', () => {
    expect(pickCheckpoint(all, 'c1', sha256)).toEqual({ id: 'c1', hash: older.hash });
  });

  test.each([
    ['c3', 'hash-mismatch'],
    ['c4', 'foreign-task'],
    ['c9', 'missing'],
  ])('says what is wrong with %s: %s', (id, flaw) => {
    expect(pickCheckpoint(all, id, sha256)).toMatchObject({ id, flaw });
  });
});

/** Naive: everything reachable from the head, newest first, in as many steps as there are checkpoints. */
function naiveWalk(
  parts: readonly { id: string; parentId: string | null }[],
  headId: string | null,
): string[] {
  const walk: string[] = [];
  const lost = new Set<string>();
  let id = headId;
  for (let steps = 0; steps <= 2 * parts.length && id !== null; steps += 1) {
    const named = id;
    const isKnown = parts.some((candidate) => candidate.id === named);
    // They are all of the same moment, so the first counts as the newest.
    const part = parts.find((each) => (isKnown ? each.id === named : !walk.includes(each.id)));
    // A link that leads nowhere is followed once.
    if (part === undefined || lost.has(named)) break;
    if (!isKnown) lost.add(named);
    walk.push(part.id);
    id = part.parentId;
  }
  return walk;
}
