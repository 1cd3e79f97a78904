import { type ResultPrint, readResult } from '@holter/core/detect';
import type { Marks, ScreenMarks } from '@holter/server/adapters';

/** What the terminal of an agent shows. `unknown` means hands off. */
export type ScreenState = 'busy' | 'idle' | 'asking' | 'unknown';

export type Screen = {
  readonly state: ScreenState;
  /** What stands at its prompt; null if no prompt is shown. */
  readonly typed: string | null;
};

/** An agent shows its state at the bottom; above it stands what it and its tools have printed. */
const LINES_READ = 15;

/**
 * Reads a screen by the marks of its agent. When marks contradict each other the careful reading wins: asking before
 * busy, busy before idle.
 */
export function readScreen(marks: ScreenMarks | undefined, lines: readonly string[], title: string): Screen {
  if (!marks) return { state: 'unknown', typed: null };
  const shown = lines.map(withoutFaint).filter((line) => line.trim() !== '');
  const bottom = shown.slice(-LINES_READ);
  const typed = typedAt(marks.prompts, bottom);
  const has = ({ screen = [], title: titles = [] }: Marks, where: readonly string[]): boolean =>
    screen.some((mark) => where.some((line) => line.includes(mark))) ||
    titles.some((mark) => title.includes(mark));
  if (has(marks.asking, shown)) return { state: 'asking', typed };
  if (has(marks.busy, bottom)) return { state: 'busy', typed };
  // A title is the agent's own word; words on its screen may be those of anybody, unless its prompt is there too.
  const isIdle = typed === null ? has({ title: marks.idle.title ?? [] }, []) : has(marks.idle, bottom);
  return { state: isIdle ? 'idle' : 'unknown', typed };
}

/** The text at the lowest prompt. */
function typedAt(prompts: readonly string[], lines: readonly string[]): string | null {
  for (const line of [...lines].reverse()) {
    const text = line.replace(/^[\s│┃|]+/, '');
    const prompt = prompts.find((mark) => text.startsWith(mark));
    if (prompt !== undefined)
      return text
        .slice(prompt.length)
        .replace(/[│┃|]\s*$/, '')
        .trim();
  }
  return null;
}

/** Without colours, and without faint text: a hint in an empty prompt is not what a person has typed. */
function withoutFaint(line: string): string {
  let isFaint = false;
  let text = '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are controlled by them
  for (const part of line.split(/(\u001b\[[\d;:]*m)/)) {
    if (!part.startsWith('\u001b[')) text += isFaint ? '' : part;
    else isFaint = faintAfter(part.slice(2, -1), isFaint);
  }
  return text;
}

/** `38;5;N` and `48;5;N` name colours; their 2 is no faintness. */
function faintAfter(codes: string, isFaint: boolean): boolean {
  const words = codes.split(';');
  let result = isFaint;
  for (let at = 0; at < words.length; at += 1) {
    const code = words[at];
    if (code === '38' || code === '48') at += words[at + 1] === '5' ? 2 : 4;
    else if (code === '' || code === '0' || code === '22') result = false;
    else if (code === '2') result = true;
  }
  return result;
}

/**
 * The content of a screen without what moves while nothing happens: the line of the spinner, symbols, clocks and
 * durations. Two equal prints mean that nothing was printed.
 */
export function printOf(
  marks: ScreenMarks | undefined,
  lines: readonly string[],
  known: ResultPrint | null,
): ResultPrint {
  const moving = marks?.busy.screen ?? [];
  const steady = lines.map(withoutFaint).filter((line) => !moving.some((mark) => line.includes(mark)));
  return readResult(steady.join('\n').replace(/[\p{S}\u2800-\u28ff]/gu, ''), known);
}
