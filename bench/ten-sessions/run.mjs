// Ten real Claude Code sessions under `holter run` with the default rules: five work, two loop, one hangs on its
// model, one waits for a permission, one is killed. Prints who was told what and when, and what Holter cost; exit 1
// if one that works was called STUCK or disturbed, one of the others was missed, or Holter cost too much.
// usage: npm run measure:sessions [MINUTES]
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const main = fileURLToPath(new URL('main.ts', import.meta.url));
const { module } = await runnerImport(main, { configFile: false, logLevel: 'warn' });
const missed = await module.measure(Number(process.argv[2] ?? 20));
for (const each of missed) console.log(`missed: ${each}`);
process.exitCode = missed.length === 0 ? 0 : 1;
