import { type LetterPage, type LetterView, quotedLetters } from '@holter/server/local';
import { ask } from './ask.ts';
import type { Connection } from './connection.ts';

/** The letters of verified senders, quoted for the context of an agent; what an agent was shown has been read. */
export async function takeLetters(
  connection: Connection,
  messages: LetterPage['messages'],
  box: string | undefined,
): Promise<string> {
  const verified = messages.filter(({ fromVerified }) => fromVerified);
  const letters: LetterView[] = [];
  for (const { id } of verified) {
    letters.push(await ask(connection, (client) => client.letter(id, box)));
    await ask(connection, (client) => client.markLetter(id, 'read', box));
  }
  const words = letters.map(({ id, from, subject, content }) => ({
    id,
    from,
    subject,
    message: content.message,
  }));
  return quotedLetters(words, messages.length - verified.length);
}
