import { readSettingsFile } from '../files/index.ts';
import { compile, defaultPolicies, type PolicySet } from '../policy/index.ts';
import { type FileProblem, type Place, readYaml } from './yaml-file.ts';

export type Config = {
  readonly policies: PolicySet;
  /** The file that was read, if there is one. */
  readonly files: readonly string[];
  readonly placeOf: (path: string) => Place | null;
  /** Settings that were written and do nothing yet. */
  readonly warnings: readonly FileProblem[];
};

export type LoadedConfig =
  | { readonly kind: 'loaded'; readonly config: Config }
  | { readonly kind: 'invalid'; readonly problems: readonly FileProblem[] };

/** More than any configuration; parsing so much takes a moment. */
const BYTES_MAX = 1024 * 1024;

/** Reads and compiles the operator's file: all problems at once, or policies that need no more checks. */
export function loadConfig(
  file: string | null,
  read: (file: string) => string = (file) => readSettingsFile(file, BYTES_MAX),
): LoadedConfig {
  if (file === null)
    return {
      kind: 'loaded',
      config: { policies: defaultPolicies, files: [], placeOf: () => null, warnings: [] },
    };
  const reading = readFile(file, read);
  if (reading.kind === 'unreadable') return { kind: 'invalid', problems: reading.problems };
  const { raw, placeOf } = reading.yaml;
  const compiled = compile(raw);
  if (compiled.kind === 'compiled') {
    const { policies } = compiled;
    const warnings = warningsOf(policies, placeOf);
    return { kind: 'loaded', config: { policies, files: [file], placeOf, warnings } };
  }
  const top = { file, line: 1, column: 1 };
  return {
    kind: 'invalid',
    problems: compiled.problems.map(({ path, message }) => ({ place: placeOf(path) ?? top, path, message })),
  };
}

/** Whoever writes `alerting` expects to be paged, so it is said that nobody will be. */
function warningsOf({ shared }: PolicySet, placeOf: Config['placeOf']): readonly FileProblem[] {
  return [...shared.written]
    .filter((path) => path.startsWith('health_monitoring.alerting.'))
    .flatMap((path) => {
      const place = placeOf(path);
      return place ? [{ place, path, message: NOTHING_IS_SENT }] : [];
    });
}

const NOTHING_IS_SENT =
  'is not used yet: nothing is sent to these channels; notices are shown by `holter status` and the page';

/** One line per problem: `file:line:column  key message`. A key may be anything, and is printed in a terminal. */
export function problemLine({ place, path, message }: FileProblem): string {
  const what = path === '' ? message : `${path.slice(0, 200)} ${message}`;
  return `${place.file}:${place.line}:${place.column}  ${what}`.replace(/\p{C}/gu, '·');
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
