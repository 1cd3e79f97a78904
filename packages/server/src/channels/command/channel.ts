import type { Channel } from '../shared/channel.ts';
import type { ChannelKind } from '../shared/channel-kind.ts';
import { factsOf } from '../shared/facts.ts';
import { runProgram } from '../shared/run-program.ts';

type Settings = { readonly name: string; readonly argv: readonly string[]; readonly perMinute: number };

/** A program of the operator, which gets the facts as JSON on its standard input. */
export const commandChannel = (
  { name, argv, perMinute }: Settings,
  env: Readonly<Record<string, string | undefined>>,
): Channel => ({
  name,
  perMinute,
  takesAcknowledgements: true,
  deliver: ({ key, alert }, context) =>
    runProgram({ argv, input: `${JSON.stringify(factsOf(key, alert))}\n`, env }, context),
});

export const command: ChannelKind<Settings> = {
  read: (reader) => ({ argv: reader.list('argv') }),
  build: (settings, { env }) => commandChannel(settings, env),
};
