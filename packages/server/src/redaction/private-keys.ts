import { BASE64, runEnd, runStart } from './characters.ts';

type Span = readonly [from: number, to: number];

const LABEL_MAX = 60;
/** A line of a key has 64 characters, the last one fewer; words of a text are shorter. */
const LINE_MIN = 24;

/** A private key in PEM form, at its first line: to its last line, or as far as its lines go if it was cut. */
export function privateKey(text: string, from: number): Span | null {
  const label = /^-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/.exec(
    text.slice(from, from + LABEL_MAX),
  );
  if (!label) return null;
  const bodyStart = from + label[0].length;
  const bodyEnd = bodyEndAt(text, bodyStart);
  // The mere name of such a key, in a search or a message.
  if (bodyEnd === bodyStart) return null;
  const last = /^[\s\\nr"'+,|>]{0,12}-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/.exec(
    text.slice(bodyEnd, bodyEnd + LABEL_MAX + 12),
  );
  return [from, bodyEnd + (last?.[0].length ?? 0)];
}

/** The end of a private key whose beginning was cut, at its last line; `min` is where the text before it ends. */
export function privateKeyEnd(text: string, at: number, min: number): Span | null {
  const label = /^-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/.exec(text.slice(at, at + LABEL_MAX));
  if (!label) return null;
  let start = at;
  for (;;) {
    const lineEnd = runStartOfGap(text, start, min);
    const lineStart = runStart(text, lineEnd, BASE64, min);
    const isLine = lineEnd - lineStart >= LINE_MIN || (start === at && lineEnd - lineStart >= 4);
    if (!isLine) break;
    start = lineStart;
  }
  return start === at ? null : [start, at + label[0].length];
}

/** Lines of base64 with what stands between them: line ends, escaped or not, quotes, headers of an old key. */
function bodyEndAt(text: string, from: number): number {
  let end = from;
  for (;;) {
    const gap = gapEnd(text, end);
    const header = /^(?:Proc-Type|DEK-Info|Version|Comment|Hash): [^\n\\]{0,100}/.exec(
      text.slice(gap, gap + 120),
    );
    if (header) {
      end = gap + header[0].length;
      continue;
    }
    const lineEnd = runEnd(text, gap, BASE64);
    const isLast = /^[\s\\]{0,4}n?-----END/.test(text.slice(lineEnd, lineEnd + 12));
    if (lineEnd - gap < LINE_MIN && !(isLast && lineEnd > gap)) return cutLine(text, end, gap, lineEnd, from);
    end = lineEnd;
  }
}

/** The rest of a line of a key that was cut there: the text or the line ends with it, or it is followed by dots. */
function cutLine(text: string, end: number, gap: number, lineEnd: number, from: number): number {
  const isCut = lineEnd >= text.length || text[lineEnd] === '…' || text.startsWith('...', lineEnd);
  const isLine =
    end > from && /[\n\r"'\\]/.test(text[lineEnd] ?? '') && /[A-Z0-9+/=]/.test(text.slice(gap, lineEnd));
  return (isCut && (end > from || lineEnd - gap >= 4)) || isLine ? lineEnd : end;
}

/** `\n` may be written as two characters, or as four in a text that was quoted twice. */
function gapEnd(text: string, from: number): number {
  let at = from;
  const max = Math.min(text.length, from + 24);
  while (at < max) {
    if (text[at] === '\\') at += text[at + 1] === '\\' ? 1 : 2;
    else if (/[\s"',|>]/.test(text[at] ?? '')) at += 1;
    else if (text[at] === '+' && /\s/.test(text[at + 1] ?? '')) at += 1;
    else break;
  }
  return Math.min(at, text.length);
}

function runStartOfGap(text: string, end: number, min: number): number {
  let at = end;
  while (at > min && at > end - 24) {
    const character = text[at - 1] ?? '';
    if (/[\s"',|>]/.test(character)) at -= 1;
    else if (/[nr]/.test(character) && text[at - 2] === '\\') at -= 2;
    else break;
  }
  return Math.max(at, min);
}
