import { findConfigFile, loadConfig, problemLine } from '@holter/server/config';
import { realClock } from '@holter/server/local';
import { isBelowAgent } from '../caller/is-below-agent.ts';
import { clientOf, inWords } from '../client/ask.ts';
import { findServer, type ServerOptions } from '../client/connection.ts';
import { byOf } from '../commands/decision-options.ts';
import { CliFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { painter } from '../terminal/paint.ts';
import { enterAlternateScreen } from './alternate-screen.ts';
import { commandFor, runInForeground } from './coding-agent.ts';
import { Controller } from './controller.ts';
import { showScreen } from './screen.ts';
import { type Size, shownTicket } from './state/state.ts';

type TopOptions = ServerOptions & { readonly config?: string };
type Left = 'quit' | 'coding-agent';

/** Shows the screen until the person quits; the coding agent gets the terminal in between. */
export async function runTop(io: Io, { config, ...options }: TopOptions): Promise<void> {
  const connection = findServer(io, options, 'operator');
  const triageCommand = readTriageCommand(io, config);
  let leave: (why: Left) => void = () => undefined;
  const client = clientOf(connection);
  const controller = new Controller({
    client,
    connection,
    clock: realClock(),
    size: sizeOf(),
    by: byOf(io, {}),
    hasCodingAgent: triageCommand !== null,
    noteShown: async (incidentIds) => (await isBelowAgent(io.env, client)) || client.noteShown(incidentIds),
    inWords: (error) => sentenceOf(inWords(error, connection)),
    leave: (why) => leave(why),
  });
  await controller.start();
  io.onStop(() => leave('quit'));
  const onResize = (): void => controller.resize(sizeOf());
  process.stdout.on('resize', onResize);
  try {
    for (;;) {
      const restore = enterAlternateScreen();
      const left = new Promise<Left>((resolve) => {
        leave = resolve;
      });
      const hide = showScreen(controller, painter(io));
      const why = await left;
      hide();
      restore();
      const ticket = shownTicket(controller.state);
      if (why === 'quit' || !ticket || !triageCommand) return;
      const failure = await runInForeground(commandFor(triageCommand, ticket, options));
      if (failure !== null) controller.say(failure);
    }
  } finally {
    process.stdout.off('resize', onResize);
    controller.close();
  }
}

/** The last column stays empty: a full line would leave the cursor in it, where terminals differ. */
const sizeOf = (): Size => ({
  columns: (process.stdout.columns || 80) - 1,
  rows: process.stdout.rows || 24,
});

const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Only from a file of this machine: a server elsewhere must not name a command that runs here. */
function readTriageCommand(io: Io, named: string | undefined): readonly string[] | null {
  const loaded = loadConfig(findConfigFile(named, io.env, io.workingDirectory), undefined, io.env);
  if (loaded.kind === 'invalid')
    throw new CliFailure(loaded.problems.map(problemLine).join('\n'), 'see: holter config check');
  return loaded.config.policies.operations.triageCommand;
}
