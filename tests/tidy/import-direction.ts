import { type Import, importsOf, resolveFrom } from './imports.ts';
import { isScript, packageOf, type Repo, violation } from './repo.ts';

/** Imports point one way: core ◄ agent ◄ server ◄ holter; sim uses core and server; dashboard only HTTP types. */
const mayUse: Readonly<Record<string, readonly string[]>> = {
  core: [],
  agent: ['core'],
  server: ['core', 'agent'],
  dashboard: ['server'],
  sim: ['core', 'server'],
  holter: ['core', 'agent', 'server', 'sim', 'dashboard'],
};

/** Packages that take nothing from npm: they run inside other people's programs. */
const withoutNpm = new Set(['core', 'agent']);

const dependencyFields = [
  'dependencies',
  'devDependencies',
  'peerDependencies',
  'optionalDependencies',
] as const;

type Manifest = { readonly [field in (typeof dependencyFields)[number]]?: Readonly<Record<string, string>> };

export function importsPointOneWay(repo: Repo): string[] {
  const problems: string[] = [];
  for (const [path, text] of repo) {
    const from = packageOf(path);
    if (from === undefined || !isScript(path)) continue;
    for (const found of importsOf(text)) {
      const fault = faultOf(path, from, found);
      if (fault !== undefined) problems.push(violation(path, text, found.index, ...fault));
    }
  }
  return problems;
}

export function manifestsPointOneWay(repo: Repo): string[] {
  const problems: string[] = [];
  for (const [path, text] of repo) {
    const from = /^packages\/([^/]+)\/package\.json$/.exec(path)?.[1];
    if (from === undefined) continue;
    if (mayUse[from] === undefined) {
      problems.push(
        violation(path, text, 0, `unknown package ${from}`, 'give it its place in import-direction.ts'),
      );
    }
    const manifest = JSON.parse(text) as Manifest;
    for (const name of dependencyFields.flatMap((field) => Object.keys(manifest[field] ?? {}))) {
      const to = packageNamed(name);
      if (to === undefined ? withoutNpm.has(from) : !mayUse[from]?.includes(to)) {
        const instead = 'move the code that needs it to a package further out';
        problems.push(
          violation(path, text, text.indexOf(`"${name}"`), `${from} depends on ${name}`, instead),
        );
      }
    }
  }
  return problems;
}

function faultOf(path: string, from: string, found: Import): [problem: string, instead: string] | undefined {
  const { specifier, isTypeOnly } = found;
  if (specifier.startsWith('.')) {
    if (resolveFrom(path, specifier).startsWith(`packages/${from}/`)) return undefined;
    return [`${specifier} leaves the package`, 'import the other package by its name'];
  }
  const to = packageNamed(specifier);
  if (to === undefined || to === from) return undefined;
  if (!mayUse[from]?.includes(to)) {
    return [
      `${from} imports ${to}`,
      `use only ${mayUse[from]?.join(', ') || 'its own files'} there, or pass the value in`,
    ];
  }
  if (from === 'dashboard' && !isTypeOnly)
    return ['dashboard imports code of the server', 'use `import type`'];
  return undefined;
}

function packageNamed(specifier: string): string | undefined {
  if (/^holter(\/|$)/.test(specifier)) return 'holter';
  return /^@holter\/([^/]+)/.exec(specifier)?.[1];
}
