import { ADAPTERS } from '@holter/server/adapters';
import { defaultPolicies, policyFor } from '@holter/server/policy';
import { type Command, InvalidArgumentError } from 'commander';
import { invalidConfig, load } from '../commands/config.ts';
import { CliFailure } from '../terminal/failure.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { findFiles } from './find-files.ts';
import { defaultPrice } from './price.ts';
import { replay } from './replay.ts';

type Options = {
  readonly json?: boolean;
  readonly html?: string;
  readonly policy?: string;
  readonly role: string;
  readonly priceIn: number;
  readonly priceOut: number;
};

/** The agents whose recorded sessions can be read. */
const KINDS = ADAPTERS.filter(({ replay }) => replay !== undefined).map(({ name }) => name);

export function registerReplay(program: Command, io: Io): void {
  withExamples(
    program
      .command('replay')
      .description('find loops in recorded sessions, and show what Holter would have done')
      .argument('<paths...>', `transcripts (holter.steps.v1, ${KINDS.join(', ')}), or folders of them`)
      .option('--json', 'print one JSON line per run')
      .option('--html <file>', 'write the report as one page')
      .option('--policy <file>', 'holter.yaml with the thresholds to judge by (default: the built-in ones)')
      .option('--role <role>', 'judge as agents of this role are judged', 'default')
      .option('--price-in <usd>', 'dollars per million tokens read', dollars, defaultPrice.inUsd)
      .option('--price-out <usd>', 'dollars per million tokens written', dollars, defaultPrice.outUsd),
    [
      ['holter replay transcripts/ --html report.html', 'every session in a folder, as a page'],
      ['holter replay run.jsonl --json', 'one line per run; exit code 3 when something was found'],
    ],
  ).action((paths: readonly string[], options: Options) => run(io, paths, options));
}

async function run(io: Io, paths: readonly string[], options: Options): Promise<void> {
  const files = await findFiles(paths);
  if (files.length === 0)
    throw new CliFailure('no *.jsonl file in there', 'name a transcript, or a folder of transcripts');
  await replay(io, {
    files,
    policy: policyFor(policies(io, options.policy), options.role, 'replayed'),
    price: { inUsd: options.priceIn, outUsd: options.priceOut },
    isJson: options.json === true,
    html: options.html ?? null,
  });
}

function policies(io: Io, file: string | undefined) {
  if (file === undefined) return defaultPolicies;
  const loaded = load(io, file);
  if (loaded.kind === 'invalid') throw invalidConfig(loaded);
  return loaded.config.policies;
}

function dollars(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value < 0)
    throw new InvalidArgumentError('a price in dollars, such as 3 or 0.25');
  return value;
}
