import { describe, expect, test } from 'vitest';
import { checkSignal, SIGNAL_KINDS, signalShape } from './check.ts';
import type { FieldShape } from './field.ts';

type ObjectShape = {
  readonly properties: Readonly<Record<string, FieldShape>>;
  readonly required: readonly string[];
};

/** Some value that the shape allows. */
function sampleOf(shape: FieldShape): unknown {
  if ('const' in shape) return shape.const;
  if ('enum' in shape) return (shape.enum as readonly string[])[0];
  if ('anyOf' in shape) return sampleOf((shape.anyOf as readonly FieldShape[])[0] ?? {});
  const type = [shape.type].flat()[0];
  if (type === 'array') return [sampleOf(shape.items as FieldShape)];
  if (type === 'object') return objectOf(shape as ObjectShape);
  if (type === 'string') return 'pattern' in shape ? 'ada' : 'x';
  if (type === 'boolean') return true;
  return type === undefined ? { any: ['json'] } : (shape.minimum ?? 0);
}

const objectOf = ({ properties, required }: ObjectShape): Record<string, unknown> =>
  Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {})]));

describe.each(SIGNAL_KINDS)('the documented shape of %s matches the check', (kind) => {
  const shape = signalShape(kind) as unknown as ObjectShape;
  const least = objectOf(shape);

  test('the required fields are sufficient and necessary', () => {
    expect(checkSignal(least)).toMatchObject({ kind: 'signal' });
    for (const name of shape.required.filter((each) => each !== 'kind')) {
      const { [name]: _left, ...rest } = least;
      expect(checkSignal(rest)).toMatchObject({ code: 'missing_field', field: name });
    }
  });

  test('every documented field is accepted, and no other', () => {
    for (const [name, field] of Object.entries(shape.properties)) {
      if (Object.hasOwn(least, name) || name === 'agent_id') continue;
      // A position needs the channel that it is a position in.
      const signal = { ...least, channel: 'log', [name]: sampleOf(field) };
      expect([name, checkSignal(signal).kind]).toEqual([name, 'signal']);
    }
    expect(checkSignal({ ...least, surplus: 1 })).toMatchObject({ code: 'unknown_field' });
  });
});
