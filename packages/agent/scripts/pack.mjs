// Packs core and agent as npm would publish them, into a folder of their own.
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const packages = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export function run(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', ...options });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`);
  return stdout;
}

/** The folder, and the tarballs in it. */
export function packAll() {
  const folder = mkdtempSync(join(tmpdir(), 'holter-pack-'));
  const tarballs = ['core', 'agent'].map((name) => {
    const out = run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: join(packages, name) });
    return join(folder, JSON.parse(out)[0].filename);
  });
  return { folder, tarballs };
}
