import type { EventView } from '@holter/server/local';
import { type Paint, printable } from '../terminal/paint.ts';
import { cutTo } from '../terminal/table.ts';
import { timeOfDay } from '../terminal/words.ts';

const alarming = new Set([
  'ESCALATION_TRIGGERED',
  'AGENT_TERMINATED',
  'RECOVERY_FAILED',
  'ATTENTION_RAISED',
  'MASS_FAILURE',
  'SIGNAL_REJECTED',
  'DECISION_REJECTED',
]);

/** One event as one line: time, agent, type, and the rest of its payload. */
export function eventLine({ at, agentId, type, payload }: EventView, width: number, paint: Paint): string {
  const details = Object.entries(payload)
    .filter(([key]) => key !== 'agentId')
    .map(([key, value]) => `${key}=${typeof value === 'string' ? quoted(value) : JSON.stringify(value)}`)
    .join(' ');
  const head = `${timeOfDay(at)}  ${agentId}  ${type}`;
  const rest = cutTo(printable(details), Math.max(0, width - head.length - 2));
  const what = paint(alarming.has(type) ? 'red' : 'bold', type);
  return `${paint('dim', timeOfDay(at))}  ${paint('cyan', agentId)}  ${what}  ${rest}`.trimEnd();
}

const quoted = (text: string): string => (/\s/.test(text) ? JSON.stringify(text) : text);
