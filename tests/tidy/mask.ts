/**
 * Blanks comments and the insides of strings with spaces, so that a regular expression sees only code and each
 * index still points at the same place of the original. Code inside `${}` of a template stays. A slash begins a
 * regular expression unless a value ends before it: wrong only for a division right after the `)` of an `if`,
 * which does not occur. With `comments` only those are blanked. `onExpression` is told of each regular expression:
 * where its two slashes are.
 */
export function mask(
  source: string,
  what: 'all' | 'comments' = 'all',
  onExpression: (start: number, end: number) => void = () => undefined,
): string {
  const out = source.split('');
  const templateDepths: number[] = [];
  let depth = 0;
  let at = 0;

  const blank = (from: number, to: number) => {
    for (let i = from; i < to; i++) if (out[i] !== '\n') out[i] = ' ';
  };
  const blankText = what === 'all' ? blank : () => undefined;

  while (at < source.length) {
    const char = source[at];
    const pair = source.slice(at, at + 2);
    if (pair === '//' || (at === 0 && pair === '#!')) {
      const end = indexOrEnd(source, '\n', at);
      blank(at, end);
      at = end;
    } else if (pair === '/*') {
      const end = indexOrEnd(source, '*/', at + 2) + 2;
      blank(at, Math.min(end, source.length));
      at = end;
    } else if (char === "'" || char === '"') {
      const end = endOfQuoted(source, at, char);
      blankText(at + 1, end);
      at = end + 1;
    } else if (char === '`' || (char === '}' && templateDepths.at(-1) === depth)) {
      if (char === '}') templateDepths.pop();
      const end = endOfTemplatePart(source, at);
      blankText(at + 1, end);
      const opensHole = source[end] === '$';
      if (opensHole) templateDepths.push(depth);
      at = end + (opensHole ? 2 : 1);
    } else if (char === '/' && !endsValue(out, at)) {
      const end = endOfRegExp(source, at);
      onExpression(at, end);
      blankText(at + 1, end);
      at = end + 1;
    } else {
      if (char === '{') depth++;
      if (char === '}') depth--;
      at++;
    }
  }
  return out.join('');
}

function indexOrEnd(source: string, needle: string, from: number): number {
  const found = source.indexOf(needle, from);
  return found === -1 ? source.length : found;
}

function endOfQuoted(source: string, start: number, quote: string): number {
  let at = start + 1;
  while (at < source.length && source[at] !== quote && source[at] !== '\n') at += source[at] === '\\' ? 2 : 1;
  return at;
}

function endOfTemplatePart(source: string, start: number): number {
  let at = start + 1;
  while (at < source.length && source[at] !== '`' && source.slice(at, at + 2) !== '${') {
    at += source[at] === '\\' ? 2 : 1;
  }
  return at;
}

function endOfRegExp(source: string, start: number): number {
  let at = start + 1;
  let isInClass = false;
  while (at < source.length && source[at] !== '\n' && (isInClass || source[at] !== '/')) {
    if (source[at] === '[') isInClass = true;
    if (source[at] === ']') isInClass = false;
    at += source[at] === '\\' ? 2 : 1;
  }
  return at;
}

function endsValue(masked: readonly string[], slash: number): boolean {
  const before = masked
    .slice(Math.max(0, slash - 40), slash)
    .join('')
    .trimEnd();
  if (/(^|[^\w$.])(return|typeof|case|in|of|void|delete|do|else|yield|await)$/.test(before)) return false;
  return /[\w$)\]}'"`]$/.test(before);
}
