import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { QUOTA_FIELDS, quotaDefaults } from './quota-fields.ts';

test('docs/security.md lists every quota with its default', () => {
  const page = readFileSync(new URL('../../../../docs/security.md', import.meta.url), 'utf8');
  const told = [...page.matchAll(/^\| `(quotas\.[\w.]+)` \| (\w+) \|/gm)].map(([, key, value]) => [
    key,
    value,
  ]);
  const set = (Object.keys(QUOTA_FIELDS) as (keyof typeof QUOTA_FIELDS)[]).map((key) => [
    key,
    String(QUOTA_FIELDS[key].show(quotaDefaults[key])),
  ]);
  expect(Object.fromEntries(told)).toEqual(Object.fromEntries(set));
  expect(told).toHaveLength(set.length);
});
