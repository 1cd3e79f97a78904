import { isAcknowledgedByReading, type LetterView, quotedLetters } from '@holter/server/local';
import { ask } from './ask.ts';
import type { Connection } from './connection.ts';

/**
 * The unread letters of verified senders, quoted for the context of an agent, and the number of the others; '' when
 * there are none. What an agent was shown has been read, and is acknowledged unless its priority asks for a word.
 */
export async function takeLetters(connection: Connection, box: string | undefined): Promise<string> {
  const { messages } = await ask(connection, (client) =>
    client.letters({ agent: box, status: 'unread', verified: 'true' }),
  );
  const { count } = await ask(connection, (client) =>
    client.unreadLetters({ agent: box, verified: 'false' }),
  );
  const letters: LetterView[] = [];
  for (const head of messages) {
    const { id } = head;
    letters.push(await ask(connection, (client) => client.letter(id, box)));
    await ask(connection, (client) => client.markLetter(id, 'read', box));
    if (isAcknowledgedByReading(head))
      await ask(connection, (client) => client.markLetter(id, 'acknowledge', box));
  }
  const words = letters.map(({ id, from, to, priority, subject, content, forwardedBy }) => ({
    ...{ id, from, to, priority, subject, content },
    type: content.type,
    isForwarded: forwardedBy !== undefined,
  }));
  return quotedLetters(words, count);
}
