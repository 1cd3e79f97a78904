import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Every text file of the repository by its path from the root, with forward slashes. */
export type Repo = ReadonlyMap<string, string>;

const foldersIgnored = new Set(['node_modules', 'dist', '.git']);
const textFile = /(\.(ts|tsx|mjs|js|json|md|txt|css|html|svg|ya?ml|sh|patch)|(^|\/)(run|LICENSE|\.[a-z]+))$/;

export function readRepo(root: string, under = ''): Repo {
  const files = new Map<string, string>();
  for (const entry of readdirSync(join(root, under), { withFileTypes: true })) {
    const path = under === '' ? entry.name : `${under}/${entry.name}`;
    if (entry.isDirectory()) {
      // What a coverage tool leaves lies at the top; elsewhere the word is a folder of ours.
      if (foldersIgnored.has(entry.name) || path === 'coverage') continue;
      for (const [name, text] of readRepo(root, path)) files.set(name, text);
    } else if (entry.isFile() && path.endsWith('.png')) {
      // A picture can be linked to; there is nothing to read in it.
      files.set(path, '');
    } else if (entry.isFile() && textFile.test(path)) {
      files.set(path, readFileSync(join(root, path), 'utf8'));
    }
  }
  return files;
}

export const isTest = (path: string) => /\.test\.tsx?$/.test(path);
export const isScript = (path: string) => /\.(ts|tsx|mjs|js)$/.test(path);

/** `packages/<name>/src/...` gives `<name>`; any other path gives nothing. */
export const packageOf = (path: string) => /^packages\/([^/]+)\/src\//.exec(path)?.[1];

/** `where: what is wrong. Instead: what to do.` */
export function violation(
  path: string,
  text: string,
  index: number,
  problem: string,
  instead: string,
): string {
  const line = text.slice(0, index).split('\n').length;
  return `${path}:${line}: ${problem}. Instead: ${instead}.`;
}
