import { instant } from '@holter/core/time';
import type { Command } from 'commander';
import { ask } from '../client/ask.ts';
import { findServer, type PrintOptions, withServer } from '../client/connection.ts';
import { noteShown } from '../client/note-shown.ts';
import { threeLines } from '../explain/explain-agent.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { colourOfState, painter, printable } from '../terminal/paint.ts';

export function registerWhy(program: Command, io: Io): void {
  withExamples(
    withServer(
      program
        .command('why')
        .description('explain in three lines what is wrong with an agent and what happens next')
        .argument('<agent>', 'its id')
        .option('--json', 'print JSON'),
    ),
    [['holter why worker-7', 'in three lines']],
  ).action((agentId: string, options: PrintOptions) => why(io, agentId, options));
}

async function why(io: Io, agentId: string, options: PrintOptions): Promise<void> {
  const connection = findServer(io, options, 'operator');
  const agent = await ask(connection, (client) => client.agent(agentId));
  const [how, because, next] = threeLines(agent, instant(agent.at));
  if (options.json) {
    io.out(
      `${JSON.stringify({ agentId, state: agent.state, lines: [how, because, next], findings: agent.findings, incident: agent.incident })}\n`,
    );
    return;
  }
  const paint = painter(io);
  io.out(`${paint(colourOfState(agent.state), printable(how))}\n${printable(because)}\n${printable(next)}\n`);
  await noteShown(io, connection, [agent.incident]);
}
