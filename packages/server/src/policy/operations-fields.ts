import { type DurationMs, hours, minutes } from '@holter/core';
import { address, place } from './channel-fields.ts';
import type { Table, Values } from './check.ts';
import { ranges } from './ranges.ts';
import { agentName, amount, bytes, count, duration, flag, names, optional, pathOf } from './readers.ts';

/** How the server itself is run: what it exports, and who outside notices when it fails. */
export type Operations = {
  readonly metrics: {
    /** Whether each agent has series of its own. */
    readonly isPerAgent: boolean;
    readonly agentsMax: number;
  };
  /** As written: the address may still be the name of a variable or a file. */
  readonly deadManPing: {
    readonly written: Readonly<Record<'url' | 'url_env' | 'url_file', string | null>>;
    readonly everyMs: DurationMs;
  };
  readonly tracing: {
    /** Null leaves it to the environment. */
    readonly endpoint: string | null;
    readonly heartbeatRatio: number;
    readonly checkRatio: number;
  };
  /** Of the log file in the data folder. */
  readonly log: { readonly bytesMax: number; readonly filesMax: number };
  /** Holter's own name in the post. */
  readonly mailName: string;
  /** Where calls without a token are taken; null for nowhere. */
  readonly maestroPort: number | null;
  /** The project in which the files of seed 001 are written; null for none. */
  readonly ecosFolder: string | null;
  readonly tmux: {
    /** After how long an agent that hangs at its model is interrupted; null: never. */
    readonly hungModelMs: DurationMs | null;
  };
  /** The coding agent that `holter top` starts with a ticket; null for none. */
  readonly triageCommand: readonly string[] | null;
  /** How long each is kept. */
  readonly retentionMs: Readonly<
    Record<'agents' | 'events' | 'checkpoints' | 'effects' | 'rollups' | 'tokens' | 'letters', DurationMs>
  >;
};

const days = (n: number): DurationMs => hours(24 * n);

/** The address is a secret: who knows it can keep the outside quiet. */
const { url, url_env, url_file } = place('url');

export const OPERATIONS_FIELDS = {
  'metrics.per_agent': flag,
  'metrics.agents_max': count(ranges.metricAgents),
  'dead_man_ping.url': optional(url),
  'dead_man_ping.url_env': optional(url_env),
  'dead_man_ping.url_file': optional(url_file),
  'dead_man_ping.every': duration(ranges.pingEvery),
  'tracing.endpoint': optional(address('https://otel.example.org')),
  'tracing.heartbeat_ratio': amount(ranges.share),
  'tracing.check_ratio': amount(ranges.share),
  'log.max_bytes': bytes(ranges.logBytes),
  'log.files': count(ranges.logFiles),
  'mail.name': agentName,
  maestro_port: optional(count(ranges.port)),
  'ecos.folder': optional(pathOf('folder')),
  'tmux.escape_hung_model': flag,
  'tmux.hung_model_after': duration(ranges.hungModel),
  'top.triage_command': optional(names({ min: 1, max: 64 }, /^[^\0]{1,4096}$/)),
  'retention.events': duration(ranges.retention),
  'retention.checkpoints': duration(ranges.retention),
  'retention.effects': duration(ranges.retentionLong),
  'retention.rollups': duration(ranges.retention),
  'retention.tokens': duration(ranges.retentionLong),
  'retention.letters': duration(ranges.retention),
  'retention.agents': duration(ranges.retention),
} as const satisfies Table;

type OperationsSettings = Values<typeof OPERATIONS_FIELDS>;

export const operationsDefaults: OperationsSettings = {
  'metrics.per_agent': false,
  'metrics.agents_max': 500,
  'dead_man_ping.url': null,
  'dead_man_ping.url_env': null,
  'dead_man_ping.url_file': null,
  'dead_man_ping.every': minutes(1),
  'tracing.endpoint': null,
  'tracing.heartbeat_ratio': 0.01,
  'tracing.check_ratio': 0.01,
  'log.max_bytes': 10_000_000,
  'log.files': 5,
  'mail.name': 'ecos-chief-of-staff',
  maestro_port: null,
  'ecos.folder': null,
  'tmux.escape_hung_model': false,
  'tmux.hung_model_after': minutes(10),
  'top.triage_command': null,
  'retention.events': days(30),
  'retention.checkpoints': days(30),
  'retention.effects': days(30),
  'retention.rollups': days(400),
  'retention.tokens': days(30),
  'retention.letters': days(30),
  'retention.agents': days(30),
};

export const buildOperations = (settings: OperationsSettings): Operations => ({
  metrics: { isPerAgent: settings['metrics.per_agent'], agentsMax: settings['metrics.agents_max'] },
  deadManPing: {
    written: {
      url: settings['dead_man_ping.url'],
      url_env: settings['dead_man_ping.url_env'],
      url_file: settings['dead_man_ping.url_file'],
    },
    everyMs: settings['dead_man_ping.every'],
  },
  tracing: {
    endpoint: settings['tracing.endpoint'],
    heartbeatRatio: settings['tracing.heartbeat_ratio'],
    checkRatio: settings['tracing.check_ratio'],
  },
  log: { bytesMax: settings['log.max_bytes'], filesMax: settings['log.files'] },
  mailName: settings['mail.name'],
  maestroPort: settings.maestro_port,
  ecosFolder: settings['ecos.folder'],
  tmux: { hungModelMs: settings['tmux.escape_hung_model'] ? settings['tmux.hung_model_after'] : null },
  triageCommand: settings['top.triage_command'],
  retentionMs: {
    events: settings['retention.events'],
    checkpoints: settings['retention.checkpoints'],
    effects: settings['retention.effects'],
    rollups: settings['retention.rollups'],
    tokens: settings['retention.tokens'],
    letters: settings['retention.letters'],
    agents: settings['retention.agents'],
  },
});
