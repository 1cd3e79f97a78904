import { fileURLToPath } from 'node:url';

/** The built file that runs every command. */
export const mainFile = fileURLToPath(new URL('../main.js', import.meta.url));
