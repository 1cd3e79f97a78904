import { importsOf, resolveFrom } from './imports.ts';
import { isTest, type Repo, violation } from './repo.ts';

const CORE = /^packages\/core\/src\/([^/]+)\//;

/** The table of ARCHITECTURE.md lists the folders of core in an order in which each imports only those above it. */
export function coreIsInReadingOrder(repo: Repo): string[] {
  const page = repo.get('ARCHITECTURE.md') ?? '';
  const table = page.slice(page.indexOf('## The core')).split('\n## ')[0] ?? '';
  const cells = [...table.matchAll(/^\| (`[^|]*) \|/gm)].map((row) => row[1] ?? '');
  const names = cells.flatMap((cell) => [...cell.matchAll(/`([\w-]+)\/`/g)].map((match) => match[1] ?? ''));
  const rank = new Map(names.map((name, index) => [name, index]));
  return [...repo].flatMap(([path, text]) => {
    const folder = CORE.exec(path)?.[1];
    if (folder === undefined || isTest(path)) return [];
    const own = rank.get(folder);
    const instead = 'correct the table in ARCHITECTURE.md, or move the code';
    if (own === undefined) return [violation(path, text, 0, `${folder}/ is in no row of the table`, instead)];
    return importsOf(text).flatMap(({ specifier, index }) => {
      const target = specifier.startsWith('.') ? CORE.exec(resolveFrom(path, specifier))?.[1] : undefined;
      if (target === undefined || target === folder || (rank.get(target) ?? -1) < own) return [];
      return [
        violation(path, text, index, `imports ${target}/, which the table has below ${folder}/`, instead),
      ];
    });
  });
}
