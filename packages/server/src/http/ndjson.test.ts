import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Line, LineCutter } from './ndjson.ts';

const textsOf = (lines: readonly Line[]) => lines.map((line) => ('text' in line ? line.text : line.fault));

it('cuts the same lines however the body arrives', () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'é', '{', ' '), maxLength: 12 });
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat({ max: 9 })), fc.boolean(), (lines, sizes, hasEnd) => {
      const body = Buffer.from(lines.join('\n') + (hasEnd ? '\n' : ''));
      const cutter = new LineCutter(16);
      const found: string[] = [];
      for (let from = 0, i = 0; from < body.length; i += 1) {
        const size = (sizes[i % Math.max(1, sizes.length)] ?? 5) + 1;
        found.push(...textsOf(cutter.push(body.subarray(from, from + size))));
        from += size;
      }
      found.push(...textsOf(cutter.end()));
      const wanted = lines
        .filter((text) => text.trim() !== '')
        .map((text) => (Buffer.byteLength(text) > 16 ? 'line_too_long' : text));
      // A blank line that is too long is still too long.
      const blanks = lines.filter((text) => text.trim() === '' && Buffer.byteLength(text) > 16).length;
      expect(blanks).toBe(0);
      expect(found).toEqual(wanted);
    }),
  );
});
