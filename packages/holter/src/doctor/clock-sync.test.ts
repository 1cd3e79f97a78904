import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { clockSync } from './clock-sync.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A folder with these programs, each of which prints a text, and nothing else. */
function path(programs: Readonly<Record<string, string>>): { readonly PATH: string } {
  const folder = mkdtempSync(join(tmpdir(), 'holter-clock-'));
  folders.push(folder);
  for (const [name, says] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${says}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return { PATH: folder };
}

it.each<[string, Readonly<Record<string, string>>, string]>([
  ['timedatectl says yes', { timedatectl: 'echo yes' }, 'synchronised'],
  ['timedatectl says no', { timedatectl: 'echo no' }, 'not synchronised'],
  ['timedatectl has no bus', { timedatectl: 'echo yes; exit 1' }, 'unknown'],
  [
    'adjtimex knows it',
    { timedatectl: 'exit 1', adjtimex: 'echo "  status: 8193 (PLL | NANO)"' },
    'synchronised',
  ],
  ['adjtimex knows it is not', { adjtimex: 'echo "  status: 64 (UNSYNC)"' }, 'not synchronised'],
  ['there is neither', {}, 'unknown'],
])('%s', (_, programs, says) => {
  expect(clockSync(path(programs))).toBe(says);
});
