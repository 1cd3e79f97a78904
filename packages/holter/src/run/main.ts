#!/usr/bin/env node
import { runMain } from './command.ts';

/** `run …` or `daemon …`, without the other commands: one of these lives beside every agent. */
const [word, ...argv] = process.argv.slice(2);
const code = word === 'daemon' ? await (await import('./daemon.ts')).daemonMain(argv) : await runMain(argv);
process.exitCode = code;
// Whatever is still open (a connection, a pipe that a grandchild holds) must not keep it.
if (process.stdout.writableLength === 0) process.exit();
else process.stdout.once('drain', () => process.exit());
