import { ClientError, type LetterView } from '@holter/server/local';
import { clientOf } from '../client/ask.ts';
import type { Connection } from '../client/connection.ts';
import { CliFailure } from '../terminal/failure.ts';
import { BOOT, DAEMON, DEACON } from './town.ts';

/** The type of Boot's own letters, which are no pending work. */
const NUDGE = 'nudge';
/** The type of letters that ask the daemon for something. */
const LIFECYCLE = 'lifecycle';

type Letter = {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly message: string;
  readonly type: string;
  readonly priority?: 'urgent' | 'high' | 'normal';
};

/**
 * What the chain asks the server for: its post office, and what the programs of agents have said. A server that does not
 * answer is no reason to stop.
 */
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

  /** When the usage limit of this agent resets; null if it has none, undefined if nobody can say. */
  async limitedUntil(agent: string): Promise<number | null | undefined> {
    try {
      return (await clientOf(this.connect()).agent(agent)).limitedUntil ?? null;
    } catch (error) {
      return error instanceof ClientError && error.status === 404 ? null : (nullIfAway(error) ?? undefined);
    }
  }

  /** The start of this agent that is the current one, and since when. */
  async startOf(agent: string): Promise<{ readonly incarnation: number; readonly startedAt: number } | null> {
    try {
      return await clientOf(this.connect()).agent(agent);
    } catch (error) {
      return nullIfAway(error);
    }
  }

  /**
   * What verified letters ask the daemon for, about agents that are its own, oldest first. The post office has checked
   * that their senders decide for these agents. Each is acknowledged first, so that none is carried out twice.
   */
  async lifecycle(isOwn: (agent: string) => boolean): Promise<readonly LetterView[]> {
    const taken: LetterView[] = [];
    try {
      const client = clientOf(this.connect());
      const { messages } = await client.letters({ agent: DAEMON, status: 'unread', limit: '0' });
      for (const { id, type, fromVerified, forwardedBy } of [...messages].reverse()) {
        if (type !== LIFECYCLE || !fromVerified || forwardedBy !== undefined) continue;
        const letter = await client.letter(id, DAEMON);
        if (!isOwn(String(letter.content.agent))) continue;
        await client.markLetter(id, 'acknowledge', DAEMON);
        taken.push(letter);
      }
    } catch (error) {
      nullIfAway(error);
    }
    return taken;
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
