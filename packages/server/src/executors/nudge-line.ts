/** One line of a nudge file: JSON, so that a program can tell one nudge from the next, and a person read it. */
export const nudgeLine = (id: string, message: string): string => `${JSON.stringify({ id, message })}\n`;
