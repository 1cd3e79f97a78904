import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const patches = readdirSync(join(root, 'mutants')).filter((name) => name.endsWith('.patch'));

// Whether each is caught takes minutes and is `npm run sim:mutants`; that each still applies takes none.
test('there are at least ten mutants', () => {
  expect(patches.length).toBeGreaterThanOrEqual(10);
});

test.each(patches)('%s applies to the core as it is', (patch) => {
  const checked = spawnSync('git', ['apply', '--check', join('mutants', patch)], {
    cwd: root,
    encoding: 'utf8',
  });
  const hint = `the rule that ${patch} takes out has moved: change the patch to take it out where it is now`;
  expect(checked.stderr, hint).toBe('');
});
