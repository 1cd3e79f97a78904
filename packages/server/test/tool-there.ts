import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Whether a test that needs this command can run here. In CI it has to, and fails if the command is missing. */
export const isToolThere = (command: string): Promise<boolean> =>
  process.env.CI === 'true'
    ? Promise.resolve(true)
    : promisify(execFile)(command, ['--version']).then(
        () => true,
        () => false,
      );
