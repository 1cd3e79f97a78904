// Ten real Claude Code sessions under `holter run` with the default rules: five work, two loop, one hangs on its
// model, one waits for a permission, one is killed. Prints who was told what and when, and what Holter cost.
// usage: npm run measure:sessions [MINUTES]
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const main = fileURLToPath(new URL('main.ts', import.meta.url));
const { module } = await runnerImport(main, { configFile: false, logLevel: 'warn' });
await module.measure(Number(process.argv[2] ?? 20));
