import { basename } from 'node:path';
import { instant } from '@holter/core';
import type { AgentStep } from '@holter/core/detect';
import {
  asNumber,
  asRecord,
  asText,
  type Item,
  type JsonRecord,
  type ReplayFormat,
} from '@holter/server/adapters';

const KINDS = new Set(['tool', 'message', 'user', 'system', 'compaction']);

/** `holter.steps.v1`: a header line with `format`, then its steps. */
export const stepsV1: ReplayFormat = {
  matches: (record) =>
    (typeof record.format === 'string' && record.format.startsWith('holter.steps.')) ||
    (typeof record.i === 'number' && KINDS.has(String(record.kind))),
  open: (file) => {
    let run = basename(file);
    return {
      push: (record, line) => {
        if (record.format !== undefined) {
          run = asText(record.run) ?? `${basename(file)}:${line}`;
          return [
            {
              kind: 'run',
              run,
              agent: asText(record.agent) ?? 'unknown',
              outcome: asText(record.outcome) ?? 'unknown',
            },
          ];
        }
        const step = readStep(record);
        if (step === null)
          return [{ kind: 'bad-line', line, because: 'not a step: `kind` is missing or unknown' }];
        return [{ kind: 'step', run, index: asNumber(record.i), step }];
      },
      end: (): readonly Item[] => [],
    };
  },
};

function readStep(record: JsonRecord): AgentStep | null {
  const kind = String(record.kind);
  if (!KINDS.has(kind)) return null;
  const at = asNumber(record.at);
  const tokens = asRecord(record.tokens);
  const error = record.error;
  return {
    at: at === null ? null : instant(at),
    kind: kind as AgentStep['kind'],
    tool: asText(record.tool),
    input: record.input ?? null,
    output: asText(record.output),
    error: typeof error === 'boolean' ? error : null,
    text: asText(record.text),
    tokens: record.tokens
      ? { in: asNumber(tokens.in) ?? 0, out: asNumber(tokens.out) ?? 0, cached: asNumber(tokens.cached) ?? 0 }
      : null,
  };
}
