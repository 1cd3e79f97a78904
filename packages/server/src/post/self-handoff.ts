import type { StoredLetter } from '../store/letters.ts';

/** Left by this very start of an agent to its next one (`holter handoff`): shown to itself it would be lost. */
export function isForSuccessor({ from, to, content }: StoredLetter, incarnation: number): boolean {
  if (from !== to) return false;
  const { type, incarnation: writtenBy } = JSON.parse(content) as Readonly<Record<string, unknown>>;
  return type === 'handoff' && writtenBy === incarnation;
}
