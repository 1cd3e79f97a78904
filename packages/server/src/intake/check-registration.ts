import { isAgentId, type Registration } from '@holter/core';
import { type Refused, refused } from './refusal.ts';

const INSTANCE_LENGTH_MAX = 256;

/** Null when the names can be stored. A registration may come from a hook, whose parts no schema has checked. */
export function problemOfNames({ agentId, role, group, instanceId }: Registration): Refused | null {
  for (const [field, name] of Object.entries({ agentId, role, group }))
    if (!isAgentId(name))
      return refused('wrong_type', `${field} must have 1 to 128 of A-Z a-z 0-9 . _ @ : -`, field);
  if (instanceId.length < 1 || instanceId.length > INSTANCE_LENGTH_MAX)
    return refused('too_long', `instanceId must have 1 to ${INSTANCE_LENGTH_MAX} characters`, 'instanceId');
  return null;
}
