import { inWords, milliseconds } from '@holter/core/time';
import type { EventView } from '@holter/server/local';
import { type Paint, printable } from '../terminal/paint.ts';
import { cutTo } from '../terminal/table.ts';
import { dollars, moment, timeOfDay } from '../terminal/words.ts';

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
    .flatMap(([key, value]) => (value === null ? [] : detailInWords(key, value)))
    .join(' ');
  const head = `${timeOfDay(at)}  ${agentId}  ${type}`;
  const rest = cutTo(printable(details), Math.max(0, width - head.length - 2));
  const what = paint(alarming.has(type) ? 'red' : 'bold', type);
  return `${paint('dim', timeOfDay(at))}  ${paint('cyan', agentId)}  ${what}  ${rest}`.trimEnd();
}

/** Times and durations are stored in milliseconds, which people do not read. */
function detailInWords(key: string, value: unknown): readonly string[] {
  if (typeof value === 'string') return [`${key}=${quoted(value)}`];
  if (typeof value !== 'number') return [`${key}=${JSON.stringify(value)}`];
  if (value > EPOCH_MS) return [`${key}=${quoted(moment(value))}`];
  // 0 is what was never reported.
  if (key === 'costUsd') return value === 0 ? [] : [`cost=${dollars(value)}`];
  if (key === 'tokens' && value === 0) return [];
  if (!key.endsWith('Ms')) return [`${key}=${value}`];
  // What took no time is no news.
  return value < 500 ? [] : [`${key.slice(0, -2)}=${quoted(inWords(milliseconds(value)))}`];
}

/** No count and no duration is as large. */
const EPOCH_MS = 1e12;

const quoted = (text: string): string => (/\s/.test(text) ? JSON.stringify(text) : text);
