import type { StoredLetter } from '../store/letters.ts';
import { LetterRefused } from './letter-refused.ts';

/** Most names that a letter may pass. */
const PASSED_MAX = 10;
const SUBJECT_LENGTH_MAX = 300;

/**
 * A letter as it is passed on: what it said, who has written it and whether that is verified, and which names it has
 * passed.
 */
export function forwardedFrom(
  original: StoredLetter,
  { from, to, note }: { readonly from: string; readonly to: string; readonly note: string },
) {
  const { letterId, sentAt, subject, priority } = original;
  const content = JSON.parse(original.content) as Record<string, unknown>;
  const passed = [...(original.passed.length > 0 ? original.passed : [original.from]), from];
  if (passed.includes(to) || passed.length > PASSED_MAX)
    throw new LetterRefused('forward_loop', 'the letter has been there already; reply to it instead', {
      field: 'to',
    });
  const forwarded = {
    id: letterId,
    from: passed[0],
    verified: original.isVerified && (original.passed.length === 0 || isVerifiedBefore(content)),
    sent_at: new Date(sentAt).toISOString(),
    ...(note !== '' && { note }),
  };
  return {
    subject: `Fwd: ${subject}`.slice(0, SUBJECT_LENGTH_MAX),
    priority,
    content: { ...content, forwarded },
    inReplyTo: null,
    clientId: null,
    passed,
  };
}

/** Of a letter that was passed on before, whether who wrote it was verified then. */
const isVerifiedBefore = ({ forwarded }: Readonly<Record<string, unknown>>): boolean =>
  (forwarded as { readonly verified?: unknown } | undefined)?.verified === true;
