import type { Colour } from '../../terminal/paint.ts';

const COLOURS: Readonly<Record<string, Colour>> = {
  low: 'cyan',
  medium: 'yellow',
  high: 'red',
  critical: 'red',
};

export const severityColour = (severity: string): Colour => COLOURS[severity] ?? 'bold';
