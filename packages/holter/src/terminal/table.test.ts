import { describe, expect, it } from 'vitest';
import { painter } from './paint.ts';
import { table } from './table.ts';

const plain = painter({ hasColour: false });
const columns = [{ title: 'AGENT' }, { title: 'WHY', canShrink: true as const }, { title: 'NEXT' }];
const rows = [
  ['ada', 'no checkpoint for 45 min, and nothing else moved', 'nudge'],
  ['a-much-longer-name', 'fine', ''],
];

describe('a table', () => {
  it.each([200, 80, 60, 40, 30, 10])('fits %i columns, or is as narrow as it can be', (width) => {
    const lines = table(columns, rows, width, plain).trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    // Three columns can't be narrower than 8 each, with gaps of 2.
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(Math.max(width, 28));
  });

  it('cuts the column that may be cut, and marks it', () => {
    const [head, ada] = table(columns, rows, 40, plain).split('\n');
    expect(head).toBe('AGENT               WHY            NEXT');
    expect(ada).toBe('ada                 no checkpoin…  nudge');
  });

  it('takes the power out of control characters', () => {
    const text = table([{ title: 'A' }], [['\u001b[2Jgone\u0007\u202e']], 80, plain);
    expect(text).toBe('A\n·[2Jgone··\n');
  });

  it('is as long as it must be in a pipe', () => {
    expect(table(columns, rows, Number.POSITIVE_INFINITY, plain)).toContain('and nothing else moved');
  });
});
