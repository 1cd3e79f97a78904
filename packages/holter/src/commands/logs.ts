import type { OutputTailView } from '@holter/server';
import { realClock } from '@holter/server/local';
import type { Command } from 'commander';
import { ask } from '../client/ask.ts';
import { findServer, type ServerOptions, withServer } from '../client/connection.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { printable } from '../terminal/paint.ts';

type LogsOptions = ServerOptions & { readonly follow?: boolean; readonly json?: boolean };

const LOOK_EVERY_MS = 1_000;

export function registerLogs(program: Command, io: Io): void {
  withExamples(
    withServer(
      program
        .command('logs')
        .description(
          'show the latest output of an agent that `holter run` runs without a terminal; secrets are removed',
        )
        .argument('<agent>', 'its id')
        .option('-f, --follow', 'keep printing until Ctrl-C')
        .option('--json', 'print JSON'),
    ),
    [
      ['holter logs worker-7', 'its latest output'],
      ['holter logs worker-7 --follow', 'and new output as it appears'],
    ],
  ).action((agentId: string, options: LogsOptions) => logs(io, agentId, options));
}

async function logs(io: Io, agentId: string, { follow, json, ...options }: LogsOptions): Promise<void> {
  const connection = findServer(io, options, 'viewer');
  let isStopped = false;
  let endWait: () => void = () => undefined;
  if (follow)
    io.onStop(() => {
      isStopped = true;
      endWait();
    });
  for (let after = 0; ; ) {
    const tail = await ask(connection, (client) => client.logs(agentId, after));
    if (json && (tail.text !== '' || after === 0)) io.out(`${JSON.stringify(tail)}\n`);
    else io.out(inLines(tail.text));
    const isElsewhere = tail.keptBy !== null;
    if (!json && tail.next === 0 && (!follow || isElsewhere)) io.err(`${whyEmpty(tail)}\n`);
    if (!follow || isStopped || isElsewhere) return;
    after = tail.next;
    await new Promise<void>((resolve) => {
      endWait = resolve;
      realClock().after(LOOK_EVERY_MS, resolve);
    });
    if (isStopped) return;
  }
}

const whyEmpty = ({ agentId, keptBy }: OutputTailView): string =>
  keptBy === null
    ? `this server has seen no output of ${agentId}`
    : `another server keeps the output of ${agentId}: ask the one on ${keptBy} with --url`;

/** Line by line, because control characters of an agent could change the user's terminal. */
const inLines = (text: string): string => text.split('\n').map(printable).join('\n');
