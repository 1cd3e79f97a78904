import { dirname, join } from 'node:path/posix';
import { mask } from './mask.ts';

export type Import = {
  readonly specifier: string;
  readonly index: number;
  readonly isTypeOnly: boolean;
  readonly isDynamic: boolean;
  readonly isReExport: boolean;
  /** The names taken from the other module, by its own spelling; `*` for all. */
  readonly names: readonly string[];
};

const statement = /\b(import|export)\b(\s+type\b)?\s*([\w$\s,*{}]*?)\s*\bfrom\s*(['"])/g;
const bare = /\bimport\s*(['"])/g;
const dynamic = /\bimport\s*\(\s*(['"`])?/g;

export function importsOf(source: string): readonly Import[] {
  const code = mask(source);
  const found: Import[] = [];
  for (const match of code.matchAll(statement)) {
    const [whole, keyword = '', type, clause = '', quote = ''] = match;
    found.push({
      specifier: quoted(source, match.index + whole.length, quote),
      index: match.index,
      isTypeOnly: type !== undefined || /^\{(\s*type\s[^,]*,?)+\s*\}$/.test(clause),
      isDynamic: false,
      isReExport: keyword === 'export',
      names: namesIn(clause),
    });
  }
  for (const match of code.matchAll(bare)) found.push(whole(source, match, false));
  for (const match of code.matchAll(dynamic)) found.push(whole(source, match, true));
  return found;
}

/** The path that a relative specifier points at. */
export function resolveFrom(path: string, specifier: string): string {
  return join(dirname(path), specifier);
}

function whole(source: string, match: RegExpMatchArray & { index: number }, isDynamic: boolean): Import {
  const quote = match[1] ?? '';
  const specifier = quote === '' ? '' : quoted(source, match.index + match[0].length, quote);
  return { specifier, index: match.index, isTypeOnly: false, isDynamic, isReExport: false, names: ['*'] };
}

function quoted(source: string, from: number, quote: string): string {
  return source.slice(from, source.indexOf(quote, from));
}

function namesIn(clause: string): string[] {
  const braces = /\{([^}]*)\}/.exec(clause);
  const names = (braces?.[1] ?? '')
    .split(',')
    .map((part) => /^\s*(?:type\s+)?([\w$]+)/.exec(part)?.[1] ?? '')
    .filter((name) => name !== '');
  if (clause.includes('*')) names.push('*');
  if (/^\s*[\w$]+/.test(clause)) names.push('default');
  return names;
}
