// `npm run check:packages`: what a user installs is well-formed (publint), and its types are found wherever ESM is
// (attw). CommonJS programs use a dynamic import, so those resolutions are left out.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { packAll, packages, run } from './pack.mjs';

const bin = (name) => join(packages, '..', 'node_modules', '.bin', name);
const { folder, tarballs } = packAll();
try {
  for (const tarball of tarballs) {
    run(bin('publint'), ['run', tarball, '--strict']);
    run(bin('attw'), [tarball, '--profile', 'esm-only', '--quiet']);
  }
  console.log('publint and attw: all good');
} finally {
  rmSync(folder, { recursive: true });
}
