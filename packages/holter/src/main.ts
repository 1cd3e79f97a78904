#!/usr/bin/env node
import { tooFewFiles } from './terminal/few-files.ts';

try {
  // One `holter run` runs beside every agent, so it does not load the other commands.
  if (process.argv[2] === 'run') await import('./run/main.ts');
  else await import('./cli.ts');
} catch (error) {
  const sentence = tooFewFiles(error);
  if (sentence === null) throw error;
  process.stderr.write(`holter: ${sentence}\n`);
  process.exit(1);
}
