/** Prints every command of the built program as JSON: its words, help, options and arguments. See `program.ts`. */
import { createProgram } from '../../packages/holter/dist/program.js';

let text = '';
const out = (more) => {
  text += more;
};
const nothing = () => undefined;
const root = await createProgram({
  out,
  err: out,
  env: {},
  workingDirectory: '.',
  isTerminal: false,
  hasColour: false,
  isLogTerminal: false,
  width: 100,
  setExitCode: nothing,
  onStop: () => nothing,
  onHangup: nothing,
});

function visit(command, words) {
  text = '';
  command.outputHelp();
  const own = {
    words,
    help: text.trim(),
    isGroup: command.commands.length > 0,
    options: command.options.map(({ short, long, required, optional, negate }) => ({
      names: [short, long].filter(Boolean),
      value: required ? 'needed' : optional ? 'maybe' : 'none',
      isNegated: negate,
    })),
    arguments: command.registeredArguments.map(({ required, variadic }) => ({ required, variadic })),
  };
  return [own, ...command.commands.flatMap((each) => visit(each, [...words, each.name()]))];
}

process.stdout.write(JSON.stringify(visit(root, ['holter'])));
