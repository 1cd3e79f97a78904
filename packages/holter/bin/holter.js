#!/usr/bin/env node
// Lies in the repository, so that npm can link it before anything is built.
import { existsSync } from 'node:fs';

const main = new URL('../dist/main.js', import.meta.url);
if (existsSync(main)) await import(main.href);
else {
  process.stderr.write('holter: not built yet\n  next: npm run build\n');
  process.exitCode = 1;
}
