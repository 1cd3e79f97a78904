// `npm run sim -- ARGS`: sets up what is missing, then runs `holter sim ARGS`. A violation ends with such a line.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root, setup } from './setup.mjs';

if (!setup()) process.exit(1);
const main = join(root, 'packages', 'holter', 'dist', 'main.js');
const run = spawnSync(process.execPath, [main, 'sim', ...process.argv.slice(2)], { stdio: 'inherit' });
process.exitCode = run.status ?? 1;
