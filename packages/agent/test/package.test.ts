import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it('packs into what publint and attw find no fault with', { timeout: 60_000 }, async () => {
  const script = fileURLToPath(new URL('../scripts/check-packages.mjs', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script]);
  expect(stdout).toMatch('publint and attw: all good');
});
