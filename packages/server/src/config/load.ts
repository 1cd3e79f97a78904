import { readSettingsFile } from '../files/index.ts';
import { compile, defaultPolicies, type PolicySet } from '../policy/index.ts';
import { forbiddenIn } from './thresholds-only.ts';
import { type FileProblem, type Place, readYaml, type YamlFile } from './yaml-file.ts';

/** Which files speak. The operator's is trusted with everything, the working directory's with thresholds. */
export type ConfigFiles = {
  readonly operator: string | null;
  readonly workingDirectory: string | null;
  /** Where the operator's file would be, for messages. */
  readonly operatorDefault: string;
};

export type Config = {
  readonly policies: PolicySet;
  /** The files that were read, widest first. */
  readonly files: readonly string[];
  readonly placeOf: (path: string) => Place | null;
};

export type LoadedConfig =
  | { readonly kind: 'loaded'; readonly config: Config }
  | { readonly kind: 'invalid'; readonly problems: readonly FileProblem[] };

/** More than any configuration; parsing so much takes a moment. */
const BYTES_MAX = 1024 * 1024;

/** Reads, merges and compiles: all problems at once, or policies that need no more checks. */
export function loadConfig(
  { operator, workingDirectory, operatorDefault }: ConfigFiles,
  read: (file: string) => string = (file) => readSettingsFile(file, BYTES_MAX),
): LoadedConfig {
  const problems: FileProblem[] = [];
  const files: YamlFile[] = [];
  for (const file of [operator, workingDirectory]) {
    if (file === null) continue;
    const reading = readFile(file, read);
    if (reading.kind === 'unreadable') problems.push(...reading.problems);
    else files.push(reading.yaml);
  }
  const local = files.find(({ file }) => file === workingDirectory);
  if (local) problems.push(...forbiddenIn(local, operator ?? operatorDefault));
  if (problems.length > 0) return { kind: 'invalid', problems };
  if (files.length === 0) {
    return { kind: 'loaded', config: { policies: defaultPolicies, files: [], placeOf: () => null } };
  }

  // The narrower file has the last word, so it is also the one to blame.
  const placeOf = (path: string): Place | null =>
    [...files].reverse().reduce<Place | null>((found, file) => found ?? file.placeOf(path), null);
  const compiled = compile(files.map(({ raw }) => raw).reduce(mergeDeep));
  if (compiled.kind === 'compiled') {
    const names = files.map(({ file }) => file);
    return { kind: 'loaded', config: { policies: compiled.policies, files: names, placeOf } };
  }
  const nowhere = { file: files.at(-1)?.file ?? '', line: 1, column: 1 };
  return {
    kind: 'invalid',
    problems: compiled.problems.map(({ path, message }) => ({
      place: placeOf(path) ?? nowhere,
      path,
      message,
    })),
  };
}

/** One line per problem: `file:line:column  key message`. */
export function problemLine({ place, path, message }: FileProblem): string {
  return `${place.file}:${place.line}:${place.column}  ${path === '' ? message : `${path} ${message}`}`;
}

function readFile(file: string, read: (file: string) => string): ReturnType<typeof readYaml> {
  try {
    return readYaml(file, read(file));
  } catch (error) {
    const because = error instanceof Error ? error.message : String(error);
    const place = { file, line: 1, column: 1 };
    return { kind: 'unreadable', problems: [{ place, path: '', message: `can't be read: ${because}` }] };
  }
}

/** Sections are merged key by key; anything else of the narrower file takes the place of the wider one's. */
function mergeDeep(wide: unknown, narrow: unknown): unknown {
  if (narrow === undefined || narrow === null) return wide;
  if (!isSection(wide) || !isSection(narrow)) return narrow;
  const merged: Record<string, unknown> = Object.create(null);
  for (const key of new Set([...Object.keys(wide), ...Object.keys(narrow)])) {
    merged[key] = mergeDeep(wide[key], narrow[key]);
  }
  return merged;
}

function isSection(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
