import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** HOLTER_DATA, else the XDG state folder: it survives a reboot and belongs to one user. */
export function dataFolderPath(named: string | undefined, environment: Environment): string {
  if (named !== undefined && named !== '') return resolve(named);
  if (environment.HOLTER_DATA) return resolve(environment.HOLTER_DATA);
  const state = environment.XDG_STATE_HOME || join(environment.HOME || homedir(), '.local', 'state');
  return join(state, 'holter');
}

/** The server that serves this user's data folder now, with the token that registers agents; null without one. */
export async function findLocalServer(
  environment: Environment,
): Promise<{ readonly url: string; readonly token: string } | null> {
  const folder = dataFolderPath(undefined, environment);
  try {
    const { url } = JSON.parse(await readSmall(join(folder, 'server.json')));
    const token = (await readSmall(join(folder, 'enroll.token'))).trim();
    return typeof url === 'string' && URL.canParse(url) && token !== '' ? { url, token } : null;
  } catch {
    // No server, or a folder of another user.
    return null;
  }
}

const BYTES_MAX = 4_096;

/** Never waits for a FIFO, and never reads a large file into the program. */
async function readSmall(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const { size } = await file.stat();
    if (size === 0 || size > BYTES_MAX) throw new Error('not a file of Holter');
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
