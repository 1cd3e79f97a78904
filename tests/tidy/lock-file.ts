import { type Repo, violation } from './repo.ts';

type Lock = { readonly packages?: Readonly<Record<string, Readonly<Record<string, unknown>>>> };

const fields = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];

export function lockNamesNoHost(repo: Repo): string[] {
  const text = repo.get('package-lock.json') ?? '';
  const instead = "run npm install with the repository's .npmrc (omit-lockfile-registry-resolved)";
  return [...text.matchAll(/"resolved": "https?:/g)].map((match) =>
    violation('package-lock.json', text, match.index, 'names a registry', instead),
  );
}

/**
 * A package with a binary for each platform names all of them, and npm installs the one that fits, if the lock
 * file knows it. One that was written while a registry did not have them all yet leaves other people without.
 */
export function lockKnowsEveryPlatform(repo: Repo): string[] {
  const lock = JSON.parse(repo.get('package-lock.json') ?? '{}') as Lock;
  const packages = Object.entries(lock.packages ?? {});
  const known = new Set(packages.map(([path]) => path.split('node_modules/').at(-1)));
  return packages.flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies as object)
      .filter((name) => !known.has(name))
      .map(
        (name) =>
          `package-lock.json: ${path} wants ${name}, which is missing. Instead: take a version that has it in the registry.`,
      ),
  );
}

/** `npm install --no-save`, which the set-up uses, would quietly install what the lock file does not know. */
export function lockMatchesManifests(repo: Repo): string[] {
  const lock = JSON.parse(repo.get('package-lock.json') ?? '{}') as Lock;
  return [...repo].flatMap(([path, text]) => {
    const folder = /^(?:(packages\/[^/]+)\/)?package\.json$/.exec(path);
    if (folder === null) return [];
    const locked = lock.packages?.[folder[1] ?? ''];
    const manifest = JSON.parse(text) as Readonly<Record<string, unknown>>;
    return fields
      .filter((field) => JSON.stringify(manifest[field]) !== JSON.stringify(locked?.[field]))
      .map(
        (field) =>
          `${path}: ${field} differ from package-lock.json. Instead: run npm install and commit both.`,
      );
  });
}
