/** An agent that reads its nudges empties the file; one so large is no nudge file. */
export const NUDGES_BYTES_MAX = 1024 * 1024;

/** One line of a nudge file: JSON, which a program can parse and a person can read. */
export const nudgeLine = (id: string, message: string): string => `${JSON.stringify({ id, message })}\n`;
