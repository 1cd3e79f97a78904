import { cachedProgram } from '../cached-program.ts';

/** The newest version that runs on the oldest Node version that Holter supports. */
const VERSION = '2.1.197';

/** The real Claude Code. */
export const installClaude = (): Promise<string> =>
  cachedProgram(
    '@anthropic-ai/claude-code',
    VERSION,
    `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
  );
