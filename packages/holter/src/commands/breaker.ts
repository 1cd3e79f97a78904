import { type BreakerToldView, realClock } from '@holter/server/local';
import type { Command } from 'commander';
import { ask } from '../client/ask.ts';
import { findServer, type PrintOptions, refuseAgents, withServer } from '../client/connection.ts';
import { breakerInWords } from '../explain/breaker-in-words.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { byOf, type DecisionOptions, minutes, withDecisionOptions } from './decision-options.ts';

/** `holter breaker`: lists circuit breakers, and lets an operator open or close one for all its callers. */
export function registerBreaker(program: Command, io: Io): void {
  const breaker = program.command('breaker').description('see, isolate and reset circuit breakers');

  withExamples(
    withServer(
      breaker
        .command('list')
        .description('the breakers of an agent, or all that are not closed')
        .argument('[agent]', 'its id')
        .option('--json', 'print JSON'),
    ),
    [
      ['holter breaker list', 'open breakers'],
      ['holter breaker list worker-7', 'all of one agent'],
    ],
  ).action(async (agentId: string | undefined, options: PrintOptions) => {
    const connection = findServer(io, options, 'viewer');
    const { breakers } = await ask(connection, (client) =>
      agentId === undefined ? client.allBreakers() : client.breakers(agentId),
    );
    const shown = agentId === undefined ? breakers.filter(({ state }) => state !== 'CLOSED') : breakers;
    if (options.json) return io.out(`${JSON.stringify({ breakers: shown })}\n`);
    if (shown.length === 0)
      return io.out(
        agentId === undefined ? 'All breakers are closed.\n' : `${agentId} has used no breaker yet.\n`,
      );
    for (const one of shown) io.out(`${one.agentId}  ${breakerInWords(one, realClock().now())}\n`);
  });

  const decide = async (
    word: 'isolate' | 'reset',
    [agentId, name]: readonly [string, string],
    options: DecisionOptions,
    more: object = {},
  ): Promise<void> => {
    refuseAgents(io, 'breaker');
    const connection = findServer(io, options, 'operator');
    const body = { reason: options.reason, ...byOf(io, options), ...more };
    tell(io, options, await ask(connection, (client) => client.tellBreaker(agentId, name, word, body)));
  };
  const command = (name: string, does: string): Command =>
    withDecisionOptions(
      breaker
        .command(name)
        .description(does)
        .argument('<agent>', 'its id')
        .argument(
          '<name>',
          'tool_execution, checkpoint_write, external_api, recovery_attempt, or one of yours',
        ),
    );

  withExamples(
    command('isolate', 'hold a breaker open for a while, whatever is reported').option(
      '--minutes <n>',
      'for how long',
      minutes,
      60,
    ),
    [
      [
        'holter breaker isolate worker-7 external_api --minutes 30 --reason "they are down"',
        'for half an hour',
      ],
    ],
  ).action((agentId: string, name: string, options: DecisionOptions & { readonly minutes: number }) =>
    decide('isolate', [agentId, name], options, { minutes: options.minutes }),
  );

  withExamples(command('reset', 'close a breaker and reset its counters'), [
    ['holter breaker reset worker-7 external_api --reason "they are back"', 'allow calls again'],
  ]).action((agentId: string, name: string, options: DecisionOptions) =>
    decide('reset', [agentId, name], options),
  );
}

function tell(io: Io, { json }: DecisionOptions, told: BreakerToldView): void {
  const { breaker } = told;
  io.out(
    json
      ? `${JSON.stringify(told)}\n`
      : `${breaker.agentId}  ${breakerInWords(breaker, realClock().now())}\n`,
  );
}
