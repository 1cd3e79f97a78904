import {
  isAcknowledgedByReading,
  type LetterPage,
  type LetterView,
  quotedLetters,
} from '@holter/server/local';
import { ask } from './ask.ts';
import type { Connection } from './connection.ts';

/**
 * The letters of verified senders, quoted for the context of an agent. What an agent was shown has been read, and is
 * acknowledged unless its priority asks for a word.
 */
export async function takeLetters(
  connection: Connection,
  messages: LetterPage['messages'],
  box: string | undefined,
): Promise<string> {
  const verified = messages.filter(({ fromVerified }) => fromVerified);
  const letters: LetterView[] = [];
  for (const head of verified) {
    const { id } = head;
    letters.push(await ask(connection, (client) => client.letter(id, box)));
    await ask(connection, (client) => client.markLetter(id, 'read', box));
    if (isAcknowledgedByReading(head))
      await ask(connection, (client) => client.markLetter(id, 'acknowledge', box));
  }
  const words = letters.map(({ id, from, to, priority, subject, content }) => ({
    id,
    from,
    to,
    priority,
    type: content.type,
    subject,
    message: content.message,
  }));
  return quotedLetters(words, messages.length - verified.length);
}
