import type { AgentView } from '@holter/server/local';

/** Which limits are longer, and which file asked for it. */
export function patienceInWords({ file, settings }: NonNullable<AgentView['patience']>): string {
  const longer = Object.entries(settings).map(([path, value]) => `${path} ${String(value)}`);
  return longer.length === 0 ? `nothing of ${file} holds` : `${longer.join(', ')} by ${file}`;
}
