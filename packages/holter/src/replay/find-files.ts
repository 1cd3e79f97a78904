import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CliFailure } from '../terminal/failure.ts';

export type InputFile = { readonly path: string; readonly bytes: number };

/** The named files, and the `*.jsonl` files of the named folders, sorted by name. */
export async function findFiles(paths: readonly string[]): Promise<InputFile[]> {
  const files: InputFile[] = [];
  for (const path of paths) {
    const info = await stat(path).catch(() => null);
    if (info === null)
      throw new CliFailure(`${path} can't be read`, 'name a transcript, or a folder of transcripts');
    if (info.isDirectory()) files.push(...(await inFolder(path)));
    else files.push({ path, bytes: info.size });
  }
  return files;
}

async function inFolder(folder: string): Promise<InputFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
    .map((entry) => join(entry.parentPath, entry.name));
  const sized = names.sort().map(async (path) => ({ path, bytes: (await stat(path)).size }));
  return Promise.all(sized);
}
