import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const patches = readdirSync(join(root, 'mutants')).filter((name) => name.endsWith('.patch'));

// Whether each is caught takes minutes and is `npm run sim:mutants`; that each still applies takes none.
test('there are fifty-seven mutants', () => {
  expect(patches.length).toBe(57);
});

test.each(patches)('%s says which runs judge it, and takes a rule out of the core or the server', (patch) => {
  const text = readFileSync(join(root, 'mutants', patch), 'utf8');
  expect(text).toMatch(/^# runs: (world|siege|tickets|engine|mail|chain)\n/);
  expect(text).toMatch(/^--- a\/packages\/(core|server)\/src\//m);
});

test.each(patches)('%s applies to the rules as they are', (patch) => {
  const checked = spawnSync('git', ['apply', '--check', join('mutants', patch)], {
    cwd: root,
    encoding: 'utf8',
  });
  const hint = `the rule that ${patch} takes out has moved: change the patch to take it out where it is now`;
  expect(checked.stderr, hint).toBe('');
});
