import { dirname, resolve } from 'node:path';
import type { ChannelConfig } from '../channels/index.ts';
import { readSettingsFile } from '../files/index.ts';
import { compile, defaultPolicies, type PolicyProblem, type PolicySet } from '../policy/index.ts';
import { type DeadManConfig, resolveChannels, resolveDeadMan } from './channels.ts';
import type { Environment } from './files.ts';
import { type FileProblem, type Place, readYaml } from './yaml-file.ts';

export type Config = {
  readonly policies: PolicySet;
  /** The file that was read, if there is one. */
  readonly files: readonly string[];
  readonly placeOf: (path: string) => Place | null;
  /** With their secrets: never shown, logged or stored. */
  readonly channels: readonly ChannelConfig[];
  readonly deadMan: DeadManConfig | null;
  readonly tls: TlsFiles | null;
  /** Where the data is: `HOLTER_DATABASE`, else as the file says. It may contain a password: never shown, logged or stored. */
  readonly database: string;
  /** What is allowed, but does not do what its words say. */
  readonly warnings: readonly FileProblem[];
};

/** A certificate with its chain, and its private key: paths of PEM files. */
export type TlsFiles = { readonly cert: string; readonly key: string };

export type LoadedConfig =
  | { readonly kind: 'loaded'; readonly config: Config }
  | { readonly kind: 'invalid'; readonly problems: readonly FileProblem[] };

/** More than any configuration; parsing so much takes a moment. */
const BYTES_MAX = 1024 * 1024;
const SECRET_BYTES_MAX = 16 * 1024;

const NO_FILE: Config = {
  policies: defaultPolicies,
  files: [],
  placeOf: () => null,
  channels: [],
  deadMan: null,
  tls: null,
  database: defaultPolicies.database,
  warnings: [],
};

/**
 * Reads and compiles the operator's file: all problems at once, or policies that need no more checks. Secrets of
 * channels come from the environment or from files of their own.
 */
export function loadConfig(
  file: string | null,
  read: (file: string) => string = (file) => readSettingsFile(file, BYTES_MAX),
  env: Environment = {},
): LoadedConfig {
  const { HOLTER_DATABASE } = env;
  if (file === null)
    return { kind: 'loaded', config: { ...NO_FILE, database: HOLTER_DATABASE || NO_FILE.database } };
  const reading = readFile(file, read);
  if (reading.kind === 'unreadable') return { kind: 'invalid', problems: reading.problems };
  const { raw, placeOf } = reading.yaml;
  const compiled = compile(raw);
  const top = { file, line: 1, column: 1 };
  const placed = (problems: readonly PolicyProblem[]): readonly FileProblem[] =>
    problems.map(({ path, message }) => ({
      // What is missing has no place of its own; the section that should have it does.
      place: placeOf(path) ?? placeOf(path.replace(/\.[^.]*$/, '')) ?? top,
      path,
      message,
    }));
  if (compiled.kind === 'invalid') return { kind: 'invalid', problems: placed(compiled.problems) };
  const { policies } = compiled;
  const folder = dirname(file);
  const secrets = { env, read: (path: string) => readSettingsFile(resolve(folder, path), SECRET_BYTES_MAX) };
  const { channels, problems: ofChannels } = resolveChannels(policies.channels, secrets);
  const { deadMan, problems: ofPing } = resolveDeadMan(policies.operations, secrets);
  const { tls, problems: ofTls } = resolveTls(policies.network, folder);
  const problems = [...ofChannels, ...ofPing, ...ofTls];
  if (problems.length > 0) return { kind: 'invalid', problems: placed(problems) };
  const warnings = placed(policies.warnings);
  const database = HOLTER_DATABASE || policies.database;
  return {
    kind: 'loaded',
    config: { policies, files: [file], placeOf, channels, deadMan, tls, database, warnings },
  };
}

function resolveTls(
  { tls: { cert, key } }: PolicySet['network'],
  folder: string,
): { readonly tls: TlsFiles | null; readonly problems: readonly PolicyProblem[] } {
  if (cert !== null && key !== null)
    return { tls: { cert: resolve(folder, cert), key: resolve(folder, key) }, problems: [] };
  if (cert === null && key === null) return { tls: null, problems: [] };
  const message = 'needs both cert and key';
  return { tls: null, problems: [{ path: 'tls', message }] };
}

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
