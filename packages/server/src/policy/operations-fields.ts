import type { Table, Values } from './check.ts';
import { ranges } from './ranges.ts';
import { count, flag } from './readers.ts';

/** How the server itself is run: what it exports about itself and its agents. */
export type Operations = {
  readonly metrics: {
    /** Whether each agent has series of its own. */
    readonly isPerAgent: boolean;
    readonly agentsMax: number;
  };
};

export const OPERATIONS_FIELDS = {
  'metrics.per_agent': flag,
  'metrics.agents_max': count(ranges.metricAgents),
} as const satisfies Table;

type OperationsSettings = Values<typeof OPERATIONS_FIELDS>;

export const operationsDefaults: OperationsSettings = {
  'metrics.per_agent': false,
  'metrics.agents_max': 500,
};

export const buildOperations = (settings: OperationsSettings): Operations => ({
  metrics: { isPerAgent: settings['metrics.per_agent'], agentsMax: settings['metrics.agents_max'] },
});
