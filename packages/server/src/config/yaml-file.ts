import { isMap, isNode, isPair, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';

/** A place in a file, as editors and terminals understand it: the first line and column are 1. */
export type Place = { readonly file: string; readonly line: number; readonly column: number };

export type FileProblem = { readonly place: Place; readonly path: string; readonly message: string };

/** A configuration file that is well-formed YAML, and where each of its keys stands. */
type YamlFile = {
  readonly file: string;
  readonly raw: unknown;
  /** Where a setting is written; null when this file does not mention it. */
  readonly placeOf: (path: string) => Place | null;
};

type YamlReading =
  | { readonly kind: 'read'; readonly yaml: YamlFile }
  | { readonly kind: 'unreadable'; readonly problems: readonly FileProblem[] };

/** Aliases multiply: a file of one kilobyte can mean a gigabyte. Nobody needs a hundred. */
const ALIASES_MAX = 100;

export function readYaml(file: string, text: string): YamlReading {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: true,
    logLevel: 'error',
  });
  const at = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(1, line), column: Math.max(1, col) };
  };
  if (document.errors.length > 0) {
    return {
      kind: 'unreadable',
      problems: document.errors.map(({ pos, message }) => ({ place: at(pos[0]), path: '', message })),
    };
  }
  try {
    const raw: unknown = document.toJS({ maxAliasCount: ALIASES_MAX });
    const offsetOf = (path: string): number | null => findPath(document.contents, path);
    const placeOf = (path: string): Place | null => {
      const offset = offsetOf(path);
      return offset === null ? null : at(offset);
    };
    return { kind: 'read', yaml: { file, raw, placeOf } };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: 'unreadable', problems: [{ place: at(0), path: '', message }] };
  }
}

/**
 * The offset of the key (or list item) that a dotted path names. Names of agents may have dots in them, so
 * a key is recognised by being the beginning of the rest of the path, not by cutting the path at its dots.
 */
function findPath(node: unknown, path: string): number | null {
  if (path === '') return isNode(node) ? startOf(node) : null;
  if (isSeq(node)) {
    const [all, index, rest] = /^\[(\d+)\]\.?(.*)$/.exec(path) ?? [];
    const item = all === undefined ? undefined : node.items[Number(index)];
    return isNode(item) ? (rest ? findPath(item, rest) : startOf(item)) : null;
  }
  if (!isMap(node)) return null;
  for (const pair of node.items) {
    if (!isPair(pair) || !isScalar(pair.key)) continue;
    const key = String(pair.key.value);
    if (path === key) return startOf(pair.key);
    const rest = path.startsWith(key) ? path.slice(key.length) : '';
    const below = rest.startsWith('.') ? rest.slice(1) : rest.startsWith('[') ? rest : null;
    if (below === null) continue;
    const found = findPath(pair.value, below);
    if (found !== null) return found;
  }
  return null;
}

const startOf = (node: Node): number | null => node.range?.[0] ?? null;
