import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** The files that are loaded with a built file, without what it loads later by `import()`. */
function loadedWith(url: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(url) || !url.startsWith('file:')) return seen;
  seen.add(url);
  const text = readFileSync(fileURLToPath(url), 'utf8');
  for (const [, specifier = ''] of text.matchAll(/^(?:import|export)\b[^;]*?from '([^']+)';/gm))
    loadedWith(
      specifier.startsWith('.') ? new URL(specifier, url).href : import.meta.resolve(specifier),
      seen,
    );
  return seen;
}

it.each(['status', 'why', 'show', 'events'])('%s loads neither the server nor the rules', (name) => {
  const loaded = [...loadedWith(new URL(`../dist/commands/${name}.js`, import.meta.url).href)];
  expect(
    loaded.filter((url) => /core\/dist\/index|fastify|yaml|zod|kysely|libsql|server\/dist\/index/.test(url)),
  ).toEqual([]);
  // Each file costs about a millisecond.
  expect(loaded.length).toBeLessThan(60);
});
