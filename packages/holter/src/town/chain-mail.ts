import { ClientError } from '@holter/server/local';
import { clientOf } from '../client/ask.ts';
import type { Connection } from '../client/connection.ts';
import { CliFailure } from '../terminal/failure.ts';
import { BOOT, DEACON } from './town.ts';

/** The type of Boot's own letters, which are no pending work. */
const NUDGE = 'nudge';

type Letter = {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly message: string;
  readonly type: string;
  readonly priority?: 'urgent' | 'high' | 'normal';
};

/** What the chain sends and reads in the post office. A server that does not answer is no reason to stop. */
export class ChainMail {
  private readonly connect: () => Connection;

  /** `connect` is asked each time: the server may have been started again on another port. */
  constructor(connect: () => Connection) {
    this.connect = connect;
  }

  /** Unread letters to the Deacon that somebody else than Boot has proven to have sent; null if nobody can say. */
  async pending(): Promise<number | null> {
    try {
      const client = clientOf(this.connect());
      const { messages } = await client.letters({ agent: DEACON, status: 'unread', limit: '0' });
      return messages.filter(
        ({ from, type, fromVerified }) => fromVerified && !(from === BOOT && type === NUDGE),
      ).length;
    } catch (error) {
      return nullIfAway(error);
    }
  }

  /** Null when it is in the box, else why it is not. */
  async send({ from, to, subject, message, type, priority = 'normal' }: Letter): Promise<string | null> {
    try {
      await clientOf(this.connect()).sendLetter({ from, to, subject, priority, content: { type, message } });
      return null;
    } catch (error) {
      // It waits in the box for the next one of this name.
      if (error instanceof ClientError && error.code === 'agent_offline') return null;
      nullIfAway(error);
      return (error as Error).message;
    }
  }

  /** A message from Boot to the Deacon. */
  nudge(text: string): Promise<string | null> {
    return this.send({ from: BOOT, to: DEACON, subject: text, message: text, type: NUDGE, priority: 'high' });
  }
}

function nullIfAway(error: unknown): null {
  if (error instanceof ClientError || error instanceof CliFailure) return null;
  if ((error as Error).name === 'TimeoutError') return null;
  throw error;
}
