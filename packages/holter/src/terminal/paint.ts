import type { Io } from './io.ts';

const codes = { bold: 1, dim: 90, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
export type Colour = keyof typeof codes;

export type Paint = (colour: Colour, text: string) => string;

export const painter =
  ({ hasColour }: Pick<Io, 'hasColour'>): Paint =>
  (colour, text) =>
    hasColour && text !== '' ? `\u001b[${codes[colour]}m${text}\u001b[0m` : text;

const states: Readonly<Record<string, Colour>> = {
  HEALTHY: 'green',
  DEGRADED: 'yellow',
  STUCK: 'red',
  FAILING: 'red',
  TERMINATED: 'dim',
};

export const colourOfState = (state: string): Colour => states[state] ?? 'bold';

/** Removes control characters from text of agents, because they could change the user's terminal. */
export const printable = (text: string): string => text.replace(/[\t\r\n]+/g, ' ').replace(/[^\P{C}]/gu, '·');
