import {
  effectiveSettings,
  findConfigFile,
  type LoadedConfig,
  loadConfig,
  problemLine,
} from '@holter/server/config';
import type { ConfigView } from '@holter/server/local';
import type { Command } from 'commander';
import { ask } from '../client/ask.ts';
import { findServer, type ServerOptions, withServer } from '../client/connection.ts';
import { CliFailure, EXIT } from '../terminal/failure.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { painter } from '../terminal/paint.ts';
import { table } from '../terminal/table.ts';

type CheckOptions = { readonly config?: string; readonly json?: boolean };
type ShowOptions = CheckOptions &
  ServerOptions & {
    readonly agent?: string;
    readonly role: string;
    readonly group?: string;
    readonly changed?: boolean;
  };

export function registerConfig(program: Command, io: Io): void {
  const config = program.command('config').description('check holter.yaml, and show the settings in effect');

  withExamples(
    config
      .command('check')
      .description('check the configuration: file, line, and what is allowed')
      .argument('[file]', 'the file to check instead of the ones that `holter up` would read')
      .option('--config <file>', 'the same, as an option')
      .option('--json', 'print JSON'),
    [
      ['holter config check', 'the files that `holter up` would read here'],
      ['holter config check examples/tour.yaml', 'one file'],
    ],
  ).action((file: string | undefined, options: CheckOptions) => check(io, file ?? options.config, options));

  withExamples(
    withServer(
      config
        .command('show')
        .description('show every setting that the running server uses, and where its value comes from')
        .option('--config <file>', 'show the settings of this file instead')
        .option('--role <role>', 'show the values for this role', 'default')
        .option('--agent <id>', 'show the values for this agent')
        .option('--group <group>', 'show the values for this group')
        .option('--changed', 'only settings that differ from their defaults')
        .option('--json', 'print JSON'),
    ),
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
    const { files, warnings } = loaded.kind === 'loaded' ? loaded.config : { files: [], warnings: [] };
    io.out(`${JSON.stringify({ ok: loaded.kind === 'loaded', files, problems, warnings })}\n`);
    if (loaded.kind === 'invalid') io.setExitCode(1);
    return;
  }
  if (loaded.kind === 'invalid') throw invalidConfig(loaded);
  const { files, warnings } = loaded.config;
  for (const warning of warnings) io.err(`warning: ${problemLine(warning)}\n`);
  io.out(
    files.length === 0 ? 'no holter.yaml found: Holter uses the defaults\n' : `${files.join(', ')}: fine\n`,
  );
}

async function show(io: Io, options: ShowOptions): Promise<void> {
  const { changed, json } = options;
  const { settings: all, source } = await settingsInForce(io, options);
  const settings = all.filter(({ from }) => !changed || from !== 'default');
  if (json) {
    io.out(`${JSON.stringify(settings)}\n`);
    return;
  }
  io.err(`${source}\n`);
  if (settings.length === 0) {
    io.out('no key is set: Holter uses the defaults (leave out --changed to see them)\n');
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

type InForce = { readonly settings: ConfigView['settings']; readonly source: string };

/** Of the running server; of a file if one is named, or if no server answers. */
async function settingsInForce(io: Io, options: ShowOptions): Promise<InForce> {
  const { config: file, role, agent, group } = options;
  const inGroup = group !== undefined && { group };
  if (file === undefined) {
    try {
      const connection = findServer(io, options, 'viewer');
      const asked = { role, ...inGroup, ...(agent !== undefined && { agentId: agent }) };
      const { settings } = await ask(connection, (client) => client.config(asked));
      return { settings, source: `in force at ${connection.url}:` };
    } catch (error) {
      if (!(error instanceof CliFailure) || error.exitCode === EXIT.usage) throw error;
    }
  }
  const loaded = load(io, file);
  if (loaded.kind === 'invalid') throw invalidConfig(loaded);
  const who = { role, agentId: agent ?? 'any-agent', ...inGroup };
  return {
    settings: [...effectiveSettings(loaded.config, who)],
    source: file === undefined ? 'no server answers; one that is started here would use:' : `${file} says:`,
  };
}

export function load(io: Io, file: string | undefined): LoadedConfig {
  return loadConfig(findConfigFile(file, io.env, io.workingDirectory), undefined, io.env);
}

export function invalidConfig({ problems }: Extract<LoadedConfig, { kind: 'invalid' }>): CliFailure {
  const count = problems.length === 1 ? 'one problem' : `${problems.length} problems`;
  return new CliFailure(
    `the configuration has ${count}:\n${problems.map((problem) => `  ${problemLine(problem)}`).join('\n')}`,
    'correct the file, then run: holter config check',
  );
}
