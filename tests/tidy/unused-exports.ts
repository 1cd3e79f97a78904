import { importsOf, resolveFrom } from './imports.ts';
import { mask } from './mask.ts';
import { isScript, isTest, packageOf, type Repo, violation } from './repo.ts';

const declared =
  /\bexport\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|const|let|class|type|interface|enum)\s+([\w$]+)/g;
const listed = /\bexport\s+(?:type\s+)?\{([^}]*)\}(?!\s*from)/g;

/** An `index.ts` says what its folder offers to others, so what it exports or passes on counts as used. */
const isOffer = (path: string) => /\/(index|main)\.tsx?$/.test(path);

export function exportsAreUsed(repo: Repo): string[] {
  const used = usedNames(repo);
  const problems: string[] = [];
  for (const [path, text] of repo) {
    if (packageOf(path) === undefined || !isScript(path) || isTest(path) || isOffer(path)) continue;
    if (used.has(`${path}#*`)) continue;
    for (const { name, index } of exportsOf(text)) {
      if (used.has(`${path}#${name}`)) continue;
      const instead = 'drop `export`, delete it, or offer it in index.ts';
      problems.push(violation(path, text, index, `no file imports ${name}`, instead));
    }
  }
  return problems;
}

function usedNames(repo: Repo): Set<string> {
  const used = new Set<string>();
  for (const [path, text] of repo) {
    if (!isScript(path)) continue;
    for (const { specifier, names } of importsOf(text)) {
      if (!specifier.startsWith('.')) continue;
      for (const name of names) used.add(`${resolveFrom(path, specifier)}#${name}`);
    }
  }
  return used;
}

function exportsOf(text: string): { name: string; index: number }[] {
  const code = mask(text);
  const found = [...code.matchAll(declared)].map((match) => ({ name: match[1] ?? '', index: match.index }));
  for (const match of code.matchAll(listed)) {
    for (const part of (match[1] ?? '').split(',')) {
      const name = /([\w$]+)\s*$/.exec(part)?.[1];
      if (name !== undefined) found.push({ name, index: match.index });
    }
  }
  return found;
}
