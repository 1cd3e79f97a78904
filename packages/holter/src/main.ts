#!/usr/bin/env node
/** A `run` lives beside every agent, so it loads nothing of the other commands. */
if (process.argv[2] === 'run') await import('./run/main.ts');
else await import('./cli.ts');

export {};
