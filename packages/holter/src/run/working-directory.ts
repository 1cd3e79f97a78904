import { join, resolve } from 'node:path';
import { ownerOf, readAgentFile } from '@holter/server/process';

/** What the `holter.yaml` of the working directory asks for, as it is sent with each registration of this run. */
export type DirectoryRequest = {
  readonly file: string;
  readonly settings: Readonly<Record<string, string | number>>;
  /** A line about a setting that does not hold as it was asked for. */
  readonly lineAbout: (path: string, message: string) => string;
};

const BYTES_MAX = 64 * 1024;

/**
 * Reads it once, before the command starts: later the command could write its own. Null if there is none, or if it
 * is the operator's own file. The reader of YAML is loaded only when it is needed.
 */
export async function readWorkingDirectory(
  folder: string,
  named: string | undefined,
  env: NodeJS.ProcessEnv,
  say: (line: string) => void,
): Promise<DirectoryRequest | null> {
  const file = join(folder, 'holter.yaml');
  const read = await readAgentFile(file, { isOwner: ownerOf(), bytesMax: BYTES_MAX });
  if (read.kind === 'missing') return null;
  const { findConfigFile, problemLine, readDirectoryFile } = await import('@holter/server/config');
  const operators = findConfigFile(named, env, folder);
  if (operators !== null && resolve(operators) === file) return null;
  if (read.kind === 'refused') {
    say(`${file} is not read: it ${read.because}`);
    return null;
  }
  const { settings, refused, placeOf } = readDirectoryFile(file, read.value.content.toString('utf8'));
  for (const problem of refused) say(problemLine(problem));
  if (Object.keys(settings).length === 0) return null;
  return {
    file,
    settings,
    lineAbout: (path, message) => problemLine({ place: placeOf(path), path, message }),
  };
}
