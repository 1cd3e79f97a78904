import { importsOf, resolveFrom } from './imports.ts';
import { mask } from './mask.ts';
import { isScript, isTest, packageOf, type Repo, violation } from './repo.ts';

const FOLDER = 'packages/server/src/adapters';
const REGISTRY = `${FOLDER}/index.ts`;
/** What adapters share with each other; all other folders beside it are agents. */
const SHARED = 'shared';

/** Agents that people speak of, with an adapter of that very name or not. */
const KNOWN = ['claude', 'codex', 'gemini', 'opencode', 'aider', 'copilot'];

const adapterOf = (path: string): string | undefined =>
  path.startsWith(`${FOLDER}/`) ? /^([^/]+)\//.exec(path.slice(FOLDER.length + 1))?.[1] : undefined;

/** An agent is known by name to its adapter's folder and to the registry. Comments may cite any. */
export function agentsAreKnownToTheirAdapters(repo: Repo): string[] {
  const adapters = new Set([...repo.keys()].flatMap((path) => adapterOf(path) ?? []));
  adapters.delete(SHARED);
  const names = [...new Set([...KNOWN, ...adapters])].map((name) => ({ name, pattern: patternOf(name) }));
  const problems: string[] = [];
  for (const [path, text] of repo) {
    if (packageOf(path) === undefined || !isScript(path) || isTest(path) || path === REGISTRY) continue;
    const code = mask(text, 'comments');
    const own = adapterOf(path);
    for (const { name, pattern } of names) {
      if (own !== undefined && isSameAgent(own, name)) continue;
      for (const { index } of code.matchAll(pattern)) {
        const instead = `ask the registry in ${FOLDER}, or move it into the adapter's folder`;
        problems.push(violation(path, text, index, `knows ${name} by name`, instead));
      }
    }
  }
  return problems;
}

const isSameAgent = (adapter: string, name: string): boolean =>
  adapter === name || adapter.startsWith(`${name}-`);

/** `shell-log`, `shellLog`, `ShellLog`, `SHELL_LOG`; not `archive` for `hive`. */
function patternOf(name: string): RegExp {
  const words = name.split('-');
  const pascal = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  const camel = pascal.charAt(0).toLowerCase() + pascal.slice(1);
  const lone = [name, camel, words.join('_').toUpperCase()].map((word) => `(?<![A-Za-z])${word}`);
  return new RegExp([...lone, pascal].join('|'), 'g');
}

/** Adapters are loaded beside every agent, so they bring neither npm packages nor the server with them. */
export function adaptersLoadLittle(repo: Repo): string[] {
  const problems: string[] = [];
  for (const [path, text] of repo) {
    if (!path.startsWith(`${FOLDER}/`) || !isScript(path) || isTest(path)) continue;
    for (const { specifier, index } of importsOf(text)) {
      if (/^(node:|@holter\/core(\/|$))/.test(specifier) || mayImport(path, specifier)) continue;
      const instead = 'pass the value in, or take it from shared, files, processes or core';
      problems.push(violation(path, text, index, `an adapter imports ${specifier}`, instead));
    }
  }
  return problems;
}

function mayImport(path: string, specifier: string): boolean {
  if (!specifier.startsWith('.')) return false;
  const target = resolveFrom(path, specifier);
  if (/^packages\/server\/src\/(?:files|processes)\//.test(target)) return true;
  if (!target.startsWith(`${FOLDER}/`)) return false;
  const to = adapterOf(target);
  return path === REGISTRY || to === SHARED || to === adapterOf(path);
}
