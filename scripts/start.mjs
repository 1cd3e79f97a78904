// `npm start [-- args]`: sets up what is missing, then runs the server (`holter up`) with its embedded store.

import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { root, setup } from './setup.mjs';

if (!setup()) process.exit(1);

const main = join(root, 'packages', 'holter', 'dist', 'main.js');
const holter = spawn(process.execPath, [main, 'up', ...process.argv.slice(2)], { stdio: 'inherit' });

// Ctrl-C reaches the child through the terminal. The parent ignores it, so that it does not end first.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => holter.kill('SIGTERM'));
process.on('SIGHUP', () => holter.kill('SIGHUP'));
holter.on('exit', (code, signal) => {
  process.exitCode = code ?? 128 + constants.signals[signal];
});
