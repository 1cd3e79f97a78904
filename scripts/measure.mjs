// `npm run measure [-- CHECKOUT]`: sizes, folder cycles and repeated lines of the packages, without their tests. Given another
// checkout it measures that one, so that two commits can be compared.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dirname, join as joinPath } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import { duplicatesOf } from './duplicates.mjs';
import { cyclesOf, folderGraph, isEntryPoint } from './folder-graph.mjs';

const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));
const importOf =
  /^\s*(?:import|export)\b[^'"`;]*?\bfrom\s*['"](\.[^'"]+)['"]|\bimport\s*\(?\s*['"](\.[^'"]+)['"]/gm;

/** Every source file of a package, as `[path from the root, text]`. */
function sourcesUnder(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return sourcesUnder(path);
    return /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path)
      ? [[path, readFileSync(join(root, path), 'utf8')]]
      : [];
  });
}

const importsOf = ([path, text]) =>
  [...text.matchAll(importOf)].map((match) => [path, joinPath(dirname(path), match[1] ?? match[2])]);

const linesOf = (text) => text.trimEnd().split('\n').length;

/**
 * The functions with a body in braces. Biome's formatting makes this simple: a body ends at the first line
 * with the indentation of its first line that starts with `}`.
 */
function functionsOf([path, text]) {
  const lines = text.split('\n');
  const opens =
    /^\s*(?:export |async |static |private |get |set |#)*(?:function\b|[\w$]+(?:<.*>)?\(|constructor\()|=> \{$/;
  const isStatement = /^\s*(?:if|for|while|switch|catch|return|else|do|try|throw|await)\b/;
  return lines.flatMap((line, start) => {
    if (!line.endsWith('{') && !line.endsWith('(')) return [];
    if (!opens.test(line) || (isStatement.test(line) && !line.endsWith('=> {'))) return [];
    const indent = /^\s*/.exec(line)[0];
    const opening = line.endsWith('{')
      ? start
      : lines.findIndex((next, index) => index > start && next.startsWith(`${indent})`));
    if (opening === -1 || !lines[opening].endsWith('{')) return [];
    const end = lines.findIndex((next, index) => index > opening && next.startsWith(`${indent}}`));
    return end === -1 ? [] : [{ name: `${path}:${start + 1}`, lines: end - start + 1 }];
  });
}

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function longestOf(items) {
  return items.reduce((longest, item) => (item.lines > longest.lines ? item : longest), {
    name: '-',
    lines: 0,
  });
}

function row(name, sources) {
  const files = sources.map(([path, text]) => ({ name: path, lines: linesOf(text) }));
  const functions = sources.flatMap(functionsOf);
  const entryPoints = new Set(sources.filter((source) => isEntryPoint(...source)).map(([path]) => path));
  const cycles = cyclesOf(folderGraph(sources.flatMap(importsOf), entryPoints));
  const duplicates = duplicatesOf(sources);
  return {
    name,
    cycles,
    duplicates,
    figures: [
      files.length,
      files.reduce((sum, file) => sum + file.lines, 0),
      median(files.map((file) => file.lines)),
      longestOf(files).lines,
      functions.length,
      median(functions.map((each) => each.lines)),
      longestOf(functions).lines,
      cycles.length,
      cycles.flat().length,
      duplicates.repeated,
    ],
    longest: [longestOf(files), longestOf(functions)],
  };
}

const packages = readdirSync(join(root, 'packages'))
  .sort()
  .map((name) => [name, sourcesUnder(`packages/${name}/src`)]);
const rows = packages.map(([name, sources]) => row(name, sources));
const all = row(
  'all',
  packages.flatMap(([, sources]) => sources),
);

const heads = [
  'files',
  'lines',
  'median',
  'longest',
  'functions',
  'median',
  'longest',
  'cycles',
  'in them',
  'repeated',
];
console.log(
  ['package', ...heads].map((head, index) => (index === 0 ? head.padEnd(10) : head.padStart(9))).join(' '),
);
for (const { name, figures } of [...rows, all]) {
  console.log([name.padEnd(10), ...figures.map((figure) => String(figure).padStart(9))].join(' '));
}
console.log('\nLines include comments and blank lines; functions are those with a body in braces; no tests.');
console.log('Folders in cycles; lines that are part of six equal lines of code elsewhere, without imports.');
console.log(`Longest file: ${all.longest[0].name} (${all.longest[0].lines} lines).`);
console.log(`Longest function: ${all.longest[1].name} (${all.longest[1].lines} lines).`);
for (const cycle of all.cycles) console.log(`Folder cycle of ${cycle.length}: ${cycle.join(', ')}`);
const { repeated, lines, firsts } = all.duplicates;
console.log(`Repeated: ${repeated} of ${lines} lines of code, in ${firsts.length} runs.`);
for (const first of firsts) console.log(`  ${first}`);
if (all.cycles.length === 0) console.log('No folder cycles.');
