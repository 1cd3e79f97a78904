import type { AgentStep } from '../../../packages/core/src/detect/index.ts';

/**
 * Rules of other tools, reimplemented from their descriptions, to be measured beside ours on the same steps. Each
 * sees one step at a time and returns whether its rule holds after it. They keep as much state as the originals,
 * including state that grows, since that is part of the measurement.
 */
export type Peer = {
  readonly name: string;
  readonly begin: () => (step: AgentStep) => 'none' | 'warn' | 'act';
};

/** As most of them do: the name and the arguments as JSON, keys in the order in which they came. */
export const plainKey = (step: AgentStep): string => `${step.tool} ${JSON.stringify(step.input)}`;

export function sortedKey(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedKey).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const record = value as Record<string, unknown>;
    return `{${Object.keys(record)
      .sort()
      .map((key) => `${key}:${sortedKey(record[key])}`)
      .join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}
