import { isPatienceSetting, notHere } from '../policy/index.ts';
import { type FileProblem, type Place, readYaml } from './yaml-file.ts';

/** What a `holter.yaml` in a working directory asks for, and what it may not. */
type DirectoryFile = {
  readonly settings: Readonly<Record<string, string | number>>;
  readonly refused: readonly FileProblem[];
  readonly placeOf: (path: string) => Place;
};

/** Settings beyond this many are not told one by one. */
const LEAVES_MAX = 200;

/** Reads it for `holter run`. Nothing in it is an error: what can't be used is told, and the run goes on. */
export function readDirectoryFile(file: string, text: string): DirectoryFile {
  const top = { file, line: 1, column: 1 };
  const reading = readYaml(file, text);
  if (reading.kind === 'unreadable')
    return { settings: {}, refused: reading.problems.slice(0, 1), placeOf: () => top };
  const { raw, placeOf } = reading.yaml;
  const at = (path: string): Place => placeOf(path) ?? top;
  const settings: Record<string, string | number> = {};
  const refused: FileProblem[] = [];
  for (const [path, value] of leavesOf(raw, '').slice(0, LEAVES_MAX)) {
    const isUsable = typeof value === 'number' || (typeof value === 'string' && value.length <= 32);
    if (isPatienceSetting(path) && isUsable) settings[path] = value;
    else
      refused.push({
        place: at(path),
        path,
        message: isUsable ? notHere(path) : 'must be a number or a time',
      });
  }
  return { settings, refused, placeOf: at };
}

const OVERRIDES = /^(?:agents|groups|profiles|fleet|quotas)$/;

/** Every setting that is written. Settings of other agents are named by their section only. */
function leavesOf(raw: unknown, path: string): (readonly [path: string, value: unknown])[] {
  const isSection = typeof raw === 'object' && raw !== null && !Array.isArray(raw);
  if (!isSection || OVERRIDES.test(path)) return path === '' ? [] : [[path, OVERRIDES.test(path) ? 0 : raw]];
  return Object.entries(raw).flatMap(([key, value]) => leavesOf(value, path === '' ? key : `${path}.${key}`));
}
