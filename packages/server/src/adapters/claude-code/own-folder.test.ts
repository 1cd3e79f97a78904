import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { transcriptFile } from './own-folder.ts';

const folder = mkdtempSync(join(tmpdir(), 'holter-own-folder-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("only a session's own file below the CLI's folder is read", async () => {
  const session = 'c64a3fea-d51f-4305-9248-db9d38df8039';
  const own = join(folder, '.claude', 'projects', '-shop');
  const elsewhere = join(folder, 'elsewhere');
  mkdirSync(own, { recursive: true });
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, `${session}.jsonl`), 'secret\n');
  const named = (path: string | null) => transcriptFile({ HOME: folder }, session, path);
  expect(await named(join(own, `${session}.jsonl`))).toBe(join(own, `${session}.jsonl`));
  expect(await named(null)).toBeNull();
  expect(await named('/etc/passwd')).toBeNull();
  expect(await named(join(elsewhere, `${session}.jsonl`))).toBeNull();
  expect(await named(join(own, '..', '..', '..', 'elsewhere', `${session}.jsonl`))).toBeNull();
  expect(await named(join(own, 'other.jsonl'))).toBeNull();
  symlinkSync(join(elsewhere, `${session}.jsonl`), join(own, `${session}.jsonl`));
  expect(await named(join(own, `${session}.jsonl`))).toBeNull();
});
