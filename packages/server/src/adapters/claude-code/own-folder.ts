import { homedir } from 'node:os';
import { join, sep } from 'node:path';
import { realPath } from '../../files/index.ts';

/** Where Claude Code keeps its own files. */
export const claudeFolder = (env: NodeJS.ProcessEnv): string =>
  env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), '.claude');

/**
 * The transcript that a hook named, if it is one: a session's own file below the CLI's folder, links resolved.
 * A hook's body is an agent's word, and must not make Holter read other files.
 */
export async function transcriptFile(
  env: NodeJS.ProcessEnv,
  sessionId: string,
  path: string | null,
): Promise<string | null> {
  if (path === null || !path.endsWith(`${sep}${sessionId}.jsonl`)) return null;
  const home = path.startsWith('~/') ? join(homedir(), path.slice(2)) : path;
  const root = await realPath(join(claudeFolder(env), 'projects'));
  // The file itself may not be there yet; its folder is.
  const parent = await realPath(home.slice(0, home.lastIndexOf(sep)));
  if (root === null || parent === null || !`${parent}${sep}`.startsWith(`${root}${sep}`)) return null;
  const file = join(parent, `${sessionId}.jsonl`);
  const real = await realPath(file);
  return real === null || real === file ? file : null;
}
