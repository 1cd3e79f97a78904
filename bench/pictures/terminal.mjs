// `npm run pictures:terminal`: records docs/images/claude-code.svg, a real Claude Code session that loops, is nudged
// and changes course, as a person sees it in a terminal.
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const main = fileURLToPath(new URL('terminal.ts', import.meta.url));
const { module } = await runnerImport(main, { configFile: false, logLevel: 'warn' });
await module.record(fileURLToPath(new URL('../../docs/images/claude-code.svg', import.meta.url)));
