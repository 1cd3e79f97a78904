import { basename } from 'node:path';

/** A command line taken apart at the program that does the work. */
export type Unwrapped = {
  /** `env X=1`, `timeout 1h`; empty for a command that nothing stands before. */
  readonly before: readonly string[];
  readonly program: string;
  readonly args: readonly string[];
  /** Variables that are set for the program. */
  readonly variables: Readonly<Record<string, string>>;
};

type Wrapper = {
  readonly flags: string;
  /** Options with a value. */
  readonly valued?: string;
  /** Words between the options and the command. */
  readonly words?: number;
  readonly setsVariables?: true;
};

const npx: Wrapper = {
  flags: '-y --yes --no --no-install --prefer-offline --offline -q --quiet --bun',
  valued: '-p --package',
};

/** Programs that run another with the same terminal, environment and folder, as far as these options go. */
const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  env: { flags: '-v --debug -0 --null', valued: '-u --unset', setsVariables: true },
  timeout: {
    flags: '--foreground --preserve-status -v --verbose',
    valued: '-k --kill-after -s --signal',
    words: 1,
  },
  nice: { flags: '', valued: '-n --adjustment' },
  ionice: { flags: '-t --ignore', valued: '-c --class -n --classdata' },
  nohup: { flags: '' },
  setsid: { flags: '-w --wait -c --ctty' },
  stdbuf: { flags: '', valued: '-i --input -o --output -e --error' },
  time: { flags: '-p' },
  npx,
  pnpx: npx,
  bunx: npx,
};

/** Null if something stands before the program whose options are not known here. */
export function unwrap(argv: readonly string[]): Unwrapped | null {
  const [program = '', ...args] = argv;
  const wrapper = WRAPPERS[basename(program)];
  if (!wrapper) return { before: [], program, args, variables: {} };
  const at = commandAt(wrapper, argv);
  if (at === null) return null;
  if (at.index >= argv.length) return { before: [], program, args, variables: {} };
  const inner = unwrap(argv.slice(at.index));
  return (
    inner && {
      ...inner,
      before: [...argv.slice(0, at.index), ...inner.before],
      variables: { ...at.variables, ...inner.variables },
    }
  );
}

type Place = { readonly index: number; readonly variables: Readonly<Record<string, string>> };

function commandAt(
  { flags, valued = '', words = 0, setsVariables }: Wrapper,
  argv: readonly string[],
): Place | null {
  const plain = new Set(flags.split(' '));
  const withValue = new Set(valued.split(' '));
  let index = 1;
  for (; argv[index]?.startsWith('-'); index++) {
    const word = argv[index] ?? '';
    if (word === '--') {
      index++;
      break;
    }
    const [name = word] = word.split('=', 1);
    if (plain.has(word)) continue;
    if (withValue.has(name)) index += name === word ? 1 : 0;
    else if (!withValue.has(word.slice(0, 2)) || word.startsWith('--')) return null;
  }
  const variables: Record<string, string> = {};
  for (; setsVariables && /^[A-Za-z_]\w*=/.test(argv[index] ?? ''); index++) {
    const word = argv[index] ?? '';
    const equals = word.indexOf('=');
    variables[word.slice(0, equals)] = word.slice(equals + 1);
  }
  return { index: index + words, variables };
}

/** Programs that run another in a way that hides it: as another user, elsewhere, or from a line of text. */
const OPAQUE = new Set(
  'sudo doas su ssh docker podman nerdctl kubectl sh bash dash zsh fish ksh script tmux screen xargs watch npm pnpm yarn'.split(
    ' ',
  ),
);

export const isOpaque = (program: string): boolean => OPAQUE.has(basename(program));
