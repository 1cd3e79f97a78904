#!/usr/bin/env node
/** One `holter run` runs beside every agent, so it does not load the other commands. */
if (process.argv[2] === 'run') await import('./run/main.ts');
else await import('./cli.ts');

export {};
