/**
 * A strip like a monitor's: a flat line, a small wave for a beat, a spike for work done, and nothing at all
 * once the process has ended.
 */
const SHAPES: Readonly<Record<string, string>> = { '-': '─', b: '╴', w: '╱', x: ' ' };

export function ecg(marks: string, width: number): string {
  let strip = '';
  let before = '';
  for (const mark of marks.slice(-width)) {
    // Two spikes side by side go up and down.
    const isFalling = mark === 'w' && before === '╱';
    const shape = isFalling ? '╲' : mark === 'b' ? '∿' : (SHAPES[mark] ?? '─');
    strip += shape;
    before = shape;
  }
  return strip.padStart(width);
}
