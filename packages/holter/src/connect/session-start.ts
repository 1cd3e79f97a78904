import { mainFile } from '../package/main-file.ts';

/**
 * The command that a session runs when it begins: it starts the server of the folder if none runs. It says nothing,
 * because its output would become part of the session, and it never fails.
 */
export const sessionStartCommand = (dataFolder: string): string =>
  `${[process.execPath, mainFile].map(quoted).join(' ')} hook session-start --data ${quoted(dataFolder)} >/dev/null 2>&1 || true`;

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
