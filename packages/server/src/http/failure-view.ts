import { type Failure, failureOf } from '@holter/core';
import type { AgentView } from './types.ts';

const STRATEGIES: Readonly<Record<Failure['strategy'], string>> = {
  wait: 'wait',
  wake: 'wake it where it runs',
  'soft-restart': 'ask it for a handoff, then restart it',
  'hard-restart': 'restart it',
  replace: 'start another in its place',
};

const BY: Readonly<Record<Failure['by'], string>> = {
  holter: 'Holter does so by itself',
  person: 'waiting for a person',
};

export function failureView(...about: Parameters<typeof failureOf>): AgentView['failure'] {
  const failure = failureOf(...about);
  if (!failure) return null;
  const { kind, because, strategy, by } = failure;
  const who = strategy === 'replace' ? 'only with the approval of a person' : BY[by];
  return { ...failure, text: `${kind}, because ${because}; strategy: ${STRATEGIES[strategy]} (${who})` };
}
