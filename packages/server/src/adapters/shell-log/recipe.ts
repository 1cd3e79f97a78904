import { resolve } from 'node:path';
import type { Recipe, RecipeContext } from '../shared/recipe.ts';
import { runNameOf } from '../shared/replay.ts';

/** Null without `--log`: then there is nothing to follow. */
export function recipe({ program, args, workingDirectory }: RecipeContext): Recipe | null {
  const at = args.indexOf('--log');
  const log = at < 0 ? undefined : args[at + 1];
  if (log === undefined) return null;
  const file = resolve(workingDirectory, log);
  return {
    isHeadless: true,
    canResume: false,
    start: () => [program, ...args],
    transcript: { file, sessionId: runNameOf(file) },
  };
}
