/** One line of a nudge file: JSON, which a program can parse and a person can read. */
export const nudgeLine = (id: string, message: string): string => `${JSON.stringify({ id, message })}\n`;
