/**
 * A strip like an ECG: a flat line, a small wave for a beat, a spike for a call, and nothing after the process has
 * ended.
 */
const SHAPES: Readonly<Record<string, string>> = { '-': '─', b: '∿', w: '⋀', x: ' ' };

export function ecg(marks: string, width: number): string {
  let strip = '';
  for (const mark of marks.slice(-width)) strip += SHAPES[mark] ?? '─';
  return strip.padStart(width);
}
