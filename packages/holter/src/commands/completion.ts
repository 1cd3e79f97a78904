import { Argument, type Command } from 'commander';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** One command with the words that may follow it. */
type Place = {
  readonly path: readonly string[];
  readonly commands: readonly { readonly name: string; readonly does: string }[];
  readonly options: readonly { readonly long: string; readonly does: string }[];
  /** Choices of its arguments. */
  readonly choices: readonly string[];
};

/** The program that it is part of may have been loaded without the other commands, so it is given all of them. */
export function registerCompletion(program: Command, io: Io, all: () => Promise<Command>): void {
  withExamples(
    program
      .command('completion')
      .description('print a script that lets your shell complete commands and options')
      .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS)),
    [
      ['holter completion bash >> ~/.bashrc', 'for bash'],
      ['holter completion zsh >> ~/.zshrc', 'for zsh'],
      ['holter completion fish > ~/.config/fish/completions/holter.fish', 'for fish'],
    ],
  ).action(async (shell: Shell) => {
    io.out(completionScript(shell, await all()));
  });
}

function completionScript(shell: Shell, program: Command): string {
  const places = placesOf(program, []);
  if (shell === 'fish') return fishScript(places);
  const start = shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : '';
  return `${start}${bashScript(places)}`;
}

function placesOf(command: Command, path: readonly string[]): readonly Place[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command).filter((each) => each.name() !== 'help');
  const place: Place = {
    path,
    commands: commands.map((each) => ({ name: each.name(), does: each.description() })),
    options: help
      .visibleOptions(command)
      .flatMap(({ long, description }) => (long ? [{ long, does: description }] : [])),
    choices: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  };
  return [place, ...commands.flatMap((each) => placesOf(each, [...path, each.name()]))];
}

/** After `--` comes another command, whose words bash completes by itself. */
function bashScript(places: readonly Place[]): string {
  const key = (path: readonly string[]): string => path.map((word) => `/${word}`).join('');
  const known = places.filter(({ path }) => path.length > 0).map(({ path }) => key(path));
  const cases = places.map(({ path, commands, options, choices }) => {
    const words = [...commands.map(({ name }) => name), ...choices, ...options.map(({ long }) => long)];
    return `    '${key(path)}') words='${words.join(' ')}' ;;`;
  });
  return `_holter() {
  local place='' words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    [ "\${COMP_WORDS[i]}" = -- ] && return
    case "$place/\${COMP_WORDS[i]}" in
      ${known.join('|')}) place="$place/\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$place" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _holter holter
`;
}

function fishScript(places: readonly Place[]): string {
  const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;
  const lines = places.flatMap(({ path, commands, options, choices }) => {
    const seen = path.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
    const below = commands.map(({ name }) => name).join(' ');
    const isHere = [
      seen === '' ? '__fish_use_subcommand' : seen,
      ...(seen !== '' && below !== '' ? [`not __fish_seen_subcommand_from ${below}`] : []),
    ].join('; and ');
    const at = `complete -c holter -n ${quoted(isHere)}`;
    return [
      ...commands.map(({ name, does }) => `${at} -f -a ${name} -d ${quoted(does)}`),
      ...choices.map((choice) => `${at} -f -a ${choice}`),
      ...options.map(({ long, does }) => `${at} -l ${long.replace(/^--/, '')} -d ${quoted(does)}`),
    ];
  });
  return `${lines.join('\n')}\n`;
}
