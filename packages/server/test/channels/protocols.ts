import { createHash, createHmac } from 'node:crypto';
import type { Protocol } from './strict-http.ts';

/** What the real services take, as far as Holter uses it. */

const isText = (value: unknown, lengthMax: number): value is string =>
  typeof value === 'string' && value !== '' && value.length <= lengthMax;

type Block = {
  readonly type: string;
  readonly block_id?: string;
  readonly text: { readonly type: string; readonly text: string };
};

export const slack: Protocol = ({ body }) => {
  const { text, blocks } = body as { text: unknown; blocks: readonly Block[] };
  if (!isText(text, 40_000)) return { wrong: 'no_text' };
  if (!Array.isArray(blocks) || blocks.length === 0 || blocks.length > 50) return { wrong: 'invalid_blocks' };
  for (const block of blocks as readonly Block[]) {
    const isHeader = block.type === 'header' && block.text.type === 'plain_text';
    if (!isHeader && block.type !== 'section') return { wrong: 'invalid_blocks' };
    if (!isText(block.text.text, isHeader ? 150 : 3_000)) return { wrong: 'invalid_blocks' };
  }
  const key = blocks[0]?.block_id;
  return isText(key, 255) ? { key } : { wrong: 'invalid_blocks' };
};

export const ROUTING_KEY = 'r0utingkey0123456789abcdef012345';

export const pagerduty: Protocol = ({ body }) => {
  const { routing_key, event_action, dedup_key, payload } = body;
  if (routing_key !== ROUTING_KEY) return { wrong: 'invalid routing key' };
  if (!isText(dedup_key, 255)) return { wrong: 'no dedup_key' };
  if (event_action === 'acknowledge' || event_action === 'resolve')
    return payload === undefined ? { key: dedup_key } : { wrong: 'a payload is for triggers' };
  const { summary, source, severity, custom_details } = payload as Record<string, unknown>;
  const isSevere = ['critical', 'error', 'warning', 'info'].includes(String(severity));
  if (event_action !== 'trigger' || !isText(summary, 1_024) || !isText(source, 255) || !isSevere)
    return { wrong: 'invalid event' };
  return { key: (custom_details as { key: string }).key };
};

export const SECRET = 'a secret between two';

export const webhook: Protocol = ({ headers, text }) => {
  const timestamp = String(headers['x-holter-timestamp']);
  const expected = createHmac('sha256', SECRET).update(`${timestamp}.${text}`).digest('hex');
  if (headers['x-holter-signature'] !== `sha256=${expected}`) return { wrong: 'the signature is wrong' };
  return { key: String(headers['x-holter-key']) };
};

/** Notices of the contract have one of these keys. */
const KEYS = ['n1', 'n2', 'n3', 'n4', 'n5'].map((id) => `${id}/to/ntfy`);
const sequenceOf = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 32);

export const ntfy: Protocol = ({ headers, body }) => {
  const { topic, title, message, priority, sequence_id } = body;
  if (headers.authorization !== 'Bearer tk_secret') return { wrong: 'unauthorized' };
  if (topic !== 'holter-alerts' || !isText(title, 250) || !isText(message, 4_096))
    return { wrong: 'bad message' };
  if (typeof priority !== 'number' || priority < 1 || priority > 5) return { wrong: 'bad priority' };
  const key = KEYS.find((each) => sequenceOf(each) === sequence_id);
  return key === undefined ? { wrong: 'unknown sequence_id' } : { key };
};
