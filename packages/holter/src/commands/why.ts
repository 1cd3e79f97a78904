import { instant } from '@holter/core/time';
import type { Command } from 'commander';
import { noteShown } from '../caller/note-shown.ts';
import { ask } from '../client/ask.ts';
import { findServer, type PrintOptions, withServer } from '../client/connection.ts';
import { threeLines } from '../explain/explain-agent.ts';
import { nudgesInWords } from '../explain/nudges-in-words.ts';
import { readyInWords } from '../explain/ready-in-words.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { colourOfState, painter, printable } from '../terminal/paint.ts';
import { wrapped } from '../terminal/words.ts';

export function registerWhy(program: Command, io: Io): void {
  withExamples(
    withServer(
      program
        .command('why')
        .description('explain what is wrong with an agent, what happens next and what can be done')
        .argument('<agent>', 'its id')
        .option('--json', 'print JSON'),
    ),
    [['holter why worker-7', 'its state, the reason, and what comes next']],
  ).action((agentId: string, options: PrintOptions) => why(io, agentId, options));
}

async function why(io: Io, agentId: string, options: PrintOptions): Promise<void> {
  const connection = findServer(io, options, 'operator');
  const agent = await ask(connection, (client) => client.agent(agentId));
  const now = instant(agent.at);
  const [how, because, next] = threeLines(agent, now);
  const ready = readyInWords(agent, now);
  if (options.json) {
    io.out(
      `${JSON.stringify({ agentId, state: agent.state, lines: [how, because, next], findings: agent.findings, incident: agent.incident, failure: agent.failure, ready: agent.ready, clockSkewMs: agent.clockSkewMs })}\n`,
    );
    return;
  }
  const paint = painter(io);
  // A restart that goes well needs no other advice.
  const failure = agent.failure && agent.state !== 'HEALTHY' ? [`Failure: ${agent.failure.text}.`] : [];
  const { nudges = null } = agent.incident ?? {};
  const nudged = nudges ? [`Nudges: ${nudgesInWords(nudges)}.`] : [];
  const rest = [because, ...failure, next, ...(ready === null ? [] : [`Ready: ${ready}.`]), ...nudged]
    .map(printable)
    .flatMap((line) => wrapped(line, io.width));
  io.out(`${[paint(colourOfState(agent.state), printable(how)), ...rest].join('\n')}\n`);
  await noteShown(io, connection, [agent.incident]);
}
