import { mask } from './mask.ts';
import { isScript, isTest, type Repo, violation } from './repo.ts';

/** The server's own sources, and what speaks to it in the same process. */
const inside = /^packages\/(?:server\/src|sim\/src\/demo|holter\/src)\//;
const door = 'packages/server/src/intake/';

const around = /\bengine\s*\??\.\s*(?:signal|register)\b/g;

/** Signals and registrations reach the engine through the intake, which checks, cleans and counts them. */
export function signalsUseTheDoor(repo: Repo): string[] {
  const problems: string[] = [];
  for (const [path, text] of repo) {
    if (!inside.test(path) || path.startsWith(door) || !isScript(path) || isTest(path)) continue;
    for (const { 0: call, index } of mask(text).matchAll(around))
      problems.push(violation(path, text, index, `${call} goes around the intake`, 'use Intake'));
  }
  return problems;
}
