import { importsOf, resolveFrom } from './imports.ts';
import { isScript, isTest, packageOf, type Repo, violation } from './repo.ts';

type FolderGraph = Map<string, Set<string>>;

const { cyclesOf, folderGraph, isEntryPoint } = (await import(
  '../../scripts/folder-graph.mjs' as string
)) as {
  cyclesOf: (graph: FolderGraph) => string[][];
  folderGraph: (
    imports: Iterable<readonly [from: string, to: string]>,
    entryPoints: ReadonlySet<string>,
  ) => FolderGraph;
  isEntryPoint: (path: string, text: string) => boolean;
};

/**
 * Within a package the folders of `src` form a directed acyclic graph. Every import counts, those of types too;
 * tests do not. An entry point may import every folder, and no file of its package imports it.
 */
export function foldersPointOneWay(repo: Repo): string[] {
  const problems: string[] = [];
  const sources = [...repo].filter(
    ([path]) => packageOf(path) !== undefined && isScript(path) && !isTest(path),
  );
  const entryPoints = new Set(
    sources.filter(([path, text]) => isEntryPoint(path, text)).map(([path]) => path),
  );
  const imports: [from: string, to: string][] = [];
  for (const [path, text] of sources) {
    for (const { specifier, index } of importsOf(text)) {
      if (!specifier.startsWith('.')) continue;
      const target = resolveFrom(path, specifier);
      imports.push([path, target]);
      if (entryPoints.has(target)) {
        const instead = 'import the file that declares it';
        problems.push(violation(path, text, index, `imports the entry point ${target}`, instead));
      }
    }
  }

  const graph = folderGraph(imports, entryPoints);
  for (const cycle of cyclesOf(graph)) {
    const edges = imports
      .filter(([from, to]) => isEdgeOf(graph, cycle, folderOf(from), folderOf(to)))
      .map(([from, to]) => `\n  ${from} imports ${to}`);
    problems.push(
      `${cycle.join(', ')}: these folders import each other. Instead: move what both need into the folder below, or pass it in.${edges.join('')}`,
    );
  }
  return problems;
}

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/'));

function isEdgeOf(graph: FolderGraph, cycle: readonly string[], from: string, to: string): boolean {
  return cycle.includes(from) && cycle.includes(to) && graph.get(from)?.has(to) === true;
}
