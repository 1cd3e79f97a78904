#!/usr/bin/env node
import { runMain } from './command.ts';

/** `run …` or `daemon …`, without the other commands: one such process runs beside every agent. */
const [word, ...argv] = process.argv.slice(2);
const code =
  word === 'daemon' ? await (await import('../background/daemon.ts')).daemonMain(argv) : await runMain(argv);
process.exitCode = code;
// An open connection, or a pipe held by a grandchild, must not keep the process alive.
if (process.stdout.writableLength === 0) process.exit();
else process.stdout.once('drain', () => process.exit());
