import type { Exceptions } from './exceptions.ts';
import { mask } from './mask.ts';
import { isScript, isTest, packageOf, type Repo, violation } from './repo.ts';

const reads =
  /(?<![.\w])Date\s*(?:\.\s*now\b|\(\s*\))|\bnew\s+Date\b(?!\s*\()|\bperformance\s*\.\s*(?:now|timeOrigin)\b|\bhrtime\b|\bMath\s*\.\s*random\b|\b(?:randomUUID|randomBytes|randomInt|getRandomValues)\b/g;

export function clockAndDiceAreListed(repo: Repo, { clockAndDice }: Exceptions): string[] {
  const problems: string[] = [];
  const listed = new Set(clockAndDice.map((entry) => entry.file));
  for (const [path, text] of repo) {
    const from = packageOf(path);
    if (from === undefined || from === 'core' || !isScript(path) || isTest(path)) continue;
    const matches = [...mask(text).matchAll(reads)];
    if (listed.has(path)) {
      if (matches.length === 0) problems.push(stale(path, 'reads neither clock nor dice'));
      continue;
    }
    for (const match of matches) {
      const instead = `take the clock or the dice as a parameter, as ${from}'s file in tidy-exceptions.json gives it`;
      problems.push(violation(path, text, match.index, `reads clock or dice (${match[0]})`, instead));
    }
  }
  const packages = new Set<string>();
  for (const { file } of clockAndDice) {
    const from = packageOf(file) ?? file;
    if (!repo.has(file)) problems.push(stale(file, 'does not exist'));
    if (packages.has(from)) {
      problems.push(
        `${file}: a second file of ${from} reads clock or dice. Instead: let one file do it for all.`,
      );
    }
    packages.add(from);
  }
  return problems;
}

function stale(path: string, why: string): string {
  return `${path}: is listed in tidy-exceptions.json, but ${why}. Instead: take it off the list.`;
}
