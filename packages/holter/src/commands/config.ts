import {
  effectiveSettings,
  findConfigFile,
  type LoadedConfig,
  loadConfig,
  problemLine,
} from '@holter/server/config';
import type { Command } from 'commander';
import { CliFailure } from '../terminal/failure.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { painter } from '../terminal/paint.ts';
import { table } from '../terminal/table.ts';

type CheckOptions = { readonly config?: string; readonly json?: boolean };
type ShowOptions = CheckOptions & {
  readonly agent?: string;
  readonly role: string;
  readonly group?: string;
  readonly changed?: boolean;
};

export function registerConfig(program: Command, io: Io): void {
  const config = program.command('config').description('check holter.yaml, and show what is in force');

  withExamples(
    config
      .command('check')
      .description('say what is wrong with the configuration: file, line, and what is allowed')
      .argument('[file]', 'the file to check instead of the ones that `holter up` would read')
      .option('--config <file>', 'the same, as an option')
      .option('--json', 'print JSON'),
    [
      ['holter config check', 'the files that `holter up` would read here'],
      ['holter config check examples/tour.yaml', 'one file'],
    ],
  ).action((file: string | undefined, options: CheckOptions) => check(io, file ?? options.config, options));

  withExamples(
    config
      .command('show')
      .description('every setting that is in force, and where its value came from')
      .option('--config <file>', 'read this file instead')
      .option('--role <role>', 'as it holds for agents of this role', 'default')
      .option('--agent <id>', 'as it holds for this agent')
      .option('--group <group>', 'as it holds for agents of this group')
      .option('--changed', 'only what is not a default')
      .option('--json', 'print JSON'),
    [
      ['holter config show --changed', 'what you have set'],
      ['holter config show --role background --agent worker-7', 'as it holds for one agent'],
    ],
  ).action((options: ShowOptions) => show(io, options));
}

function check(io: Io, file: string | undefined, { json }: CheckOptions): void {
  const loaded = load(io, file);
  if (json) {
    const problems = loaded.kind === 'invalid' ? loaded.problems : [];
    const files = loaded.kind === 'loaded' ? loaded.config.files : [];
    io.out(`${JSON.stringify({ ok: loaded.kind === 'loaded', files, problems })}\n`);
    if (loaded.kind === 'invalid') io.setExitCode(1);
    return;
  }
  if (loaded.kind === 'invalid') throw invalidConfig(loaded);
  const { files } = loaded.config;
  io.out(files.length === 0 ? 'no holter.yaml found: the defaults hold\n' : `${files.join(', ')}: fine\n`);
}

function show(io: Io, { config: file, role, agent, group, changed, json }: ShowOptions): void {
  const loaded = load(io, file);
  if (loaded.kind === 'invalid') throw invalidConfig(loaded);
  const who = { role, agentId: agent ?? 'any-agent', ...(group !== undefined && { group }) };
  const settings = effectiveSettings(loaded.config, who).filter(({ from }) => !changed || from !== 'default');
  if (json) {
    io.out(`${JSON.stringify(settings)}\n`);
    return;
  }
  if (settings.length === 0) {
    io.out('nothing is set: the defaults hold (leave out --changed to see them)\n');
    return;
  }
  const rows = settings.map(({ path, value, from, place }) => [
    path,
    typeof value === 'string' ? value : JSON.stringify(value),
    { text: place === null ? from : `${from} (${place})`, colour: 'dim' as const },
  ]);
  const columns = [
    { title: 'SETTING' },
    { title: 'VALUE', canShrink: true as const },
    { title: 'FROM', canShrink: true as const },
  ];
  io.out(table(columns, rows, io.width, painter(io)));
}

export function load(io: Io, file: string | undefined): LoadedConfig {
  return loadConfig(findConfigFile(file, io.env, io.workingDirectory));
}

export function invalidConfig({ problems }: Extract<LoadedConfig, { kind: 'invalid' }>): CliFailure {
  const count = problems.length === 1 ? 'one problem' : `${problems.length} problems`;
  return new CliFailure(
    `the configuration has ${count}:\n${problems.map((problem) => `  ${problemLine(problem)}`).join('\n')}`,
    'correct the file, then run: holter config check',
  );
}
