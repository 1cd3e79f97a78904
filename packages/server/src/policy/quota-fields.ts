import type { Table, Values } from './check.ts';
import { ranges } from './ranges.ts';
import { amount, bytes, count } from './readers.ts';

const MIB = 1024 * 1024;

/** How much one agent and one token may take. Each keeps a flood of one from being felt by others. */
export type Quotas = {
  /** Of one agent, all together; the oldest make room for the newest. */
  readonly checkpointBytesPerAgentMax: number;
  readonly checkpointsPerAgentMax: number;
  /** Of one agent's starts; a client that lost an answer registers again and gets another. */
  readonly tokensPerAgentMax: number;
  /** Of one agent, each with a few rows. One that crashes at once and is started again and again stays below. */
  readonly startsPerMinuteMax: number;
  /** Of one sort in one minute. A busy agent changes tasks and holds a few times a minute. */
  readonly auditRowsPerMinuteMax: number;
  /** Of texts that an agent writes; the longest text is 64 KiB. */
  readonly auditBytesPerMinuteMax: number;
  /** An agent that beats and reports every call stays far below. */
  readonly agentRequestsPerSecond: number;
  readonly requestsPerSecond: number;
  /** Agents that a token has registered and that have not ended. */
  readonly agentsPerTokenMax: number;
  /** A browser has a few for each tab. */
  readonly streamsPerTokenMax: number;
  /** Of all tokens; a fifth is only for operators. */
  readonly streamsMax: number;
};

export const QUOTA_FIELDS = {
  'quotas.per_agent.checkpoint_bytes': bytes(ranges.checkpointBytes),
  'quotas.per_agent.checkpoints': count(ranges.checkpoints),
  'quotas.per_agent.tokens': count(ranges.agentTokens),
  'quotas.per_agent.starts_per_minute': count(ranges.agentStarts),
  'quotas.per_agent.audit_rows_per_minute': count(ranges.auditRows),
  'quotas.per_agent.audit_bytes_per_minute': bytes(ranges.auditBytes),
  'quotas.per_agent.requests_per_second': amount(ranges.requestRate),
  'quotas.per_token.requests_per_second': amount(ranges.requestRate),
  'quotas.per_token.agents': count(ranges.tokenAgents),
  'quotas.per_token.streams': count(ranges.streams),
  'quotas.streams': count(ranges.streams),
} as const satisfies Table;

type QuotaSettings = Values<typeof QUOTA_FIELDS>;

export const quotaDefaults: QuotaSettings = {
  'quotas.per_agent.checkpoint_bytes': 64 * MIB,
  'quotas.per_agent.checkpoints': 1_000,
  'quotas.per_agent.tokens': 10,
  'quotas.per_agent.starts_per_minute': 60,
  'quotas.per_agent.audit_rows_per_minute': 50,
  'quotas.per_agent.audit_bytes_per_minute': MIB / 4,
  'quotas.per_agent.requests_per_second': 100,
  'quotas.per_token.requests_per_second': 500,
  'quotas.per_token.agents': 10_000,
  'quotas.per_token.streams': 40,
  'quotas.streams': 200,
};

export const buildQuotas = (settings: QuotaSettings): Quotas => ({
  checkpointBytesPerAgentMax: settings['quotas.per_agent.checkpoint_bytes'],
  checkpointsPerAgentMax: settings['quotas.per_agent.checkpoints'],
  tokensPerAgentMax: settings['quotas.per_agent.tokens'],
  startsPerMinuteMax: settings['quotas.per_agent.starts_per_minute'],
  auditRowsPerMinuteMax: settings['quotas.per_agent.audit_rows_per_minute'],
  auditBytesPerMinuteMax: settings['quotas.per_agent.audit_bytes_per_minute'],
  agentRequestsPerSecond: settings['quotas.per_agent.requests_per_second'],
  requestsPerSecond: settings['quotas.per_token.requests_per_second'],
  agentsPerTokenMax: settings['quotas.per_token.agents'],
  streamsPerTokenMax: settings['quotas.per_token.streams'],
  streamsMax: settings['quotas.streams'],
});
