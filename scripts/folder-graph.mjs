// The folders of a package as a graph: a file that imports another makes an edge between their folders.
// Used by scripts/measure.mjs and by the check in tests/tidy/folder-direction.ts.

import { dirname } from 'node:path/posix';

/**
 * A file in a package's `src` that only re-exports is an entry point of the package. It belongs to no folder, so
 * that it can offer what every folder has.
 */
export function isEntryPoint(path, text) {
  if (!/^packages\/[^/]+\/src\/[^/]+$/.test(path)) return false;
  const code = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  return (
    /\bexport\b/.test(code) && code.replace(/\bexport\b[^;'"]*?\bfrom\s*['"][^'"]+['"];/g, '').trim() === ''
  );
}

/**
 * The edges between folders, from pairs of files: the importing and the imported one.
 * @param {Iterable<readonly [from: string, to: string]>} imports
 * @param {ReadonlySet<string>} entryPoints
 * @returns {Map<string, Set<string>>} each folder with the folders that it imports
 */
export function folderGraph(imports, entryPoints) {
  const graph = new Map();
  for (const [from, to] of imports) {
    const [source, target] = [dirname(from), dirname(to)];
    if (source === target || entryPoints.has(from) || entryPoints.has(to)) continue;
    if (!graph.has(source)) graph.set(source, new Set());
    if (!graph.has(target)) graph.set(target, new Set());
    graph.get(source).add(target);
  }
  return graph;
}

/** The groups of folders that reach each other, largest first (Tarjan's strongly connected components). */
export function cyclesOf(graph) {
  const indexOf = new Map();
  const lowest = new Map();
  const stack = [];
  const cycles = [];

  const visit = (folder) => {
    indexOf.set(folder, indexOf.size);
    lowest.set(folder, indexOf.get(folder));
    stack.push(folder);
    for (const next of graph.get(folder)) {
      if (!indexOf.has(next)) {
        visit(next);
        lowest.set(folder, Math.min(lowest.get(folder), lowest.get(next)));
      } else if (stack.includes(next)) {
        lowest.set(folder, Math.min(lowest.get(folder), indexOf.get(next)));
      }
    }
    if (lowest.get(folder) !== indexOf.get(folder)) return;
    const group = stack.splice(stack.indexOf(folder));
    if (group.length > 1) cycles.push(group.sort());
  };

  for (const folder of graph.keys()) if (!indexOf.has(folder)) visit(folder);
  return cycles.sort((a, b) => b.length - a.length);
}
