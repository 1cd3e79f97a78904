import { ClientError, type LetterView } from '@holter/server/local';
import { clientOf } from '../client/ask.ts';
import type { Connection } from '../client/connection.ts';
import { newestEvents } from '../client/newest-events.ts';
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

/** What the server knows about the end of an agent. */
type ServersEnd = {
  /** When the start that has ended was registered. */
  readonly startedAt: number;
  /** When the usage limit resets at which it waits or has ended; null if there is none. */
  readonly limitedUntil: number | null;
  /** Who has ordered it to be ended, or to be left down. */
  readonly order: { readonly by: string; readonly reason: string; readonly at: number } | null;
  /** It has ended with success, or was stopped from outside. */
  readonly isMeant: boolean;
};

/** Of the newest decisions about an agent; the one that has ended it is among them. */
const DECISIONS_MAX = 20;

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

  /** How the current start of this agent has ended; null if it has not, or nobody can say. */
  async endOf(agent: string): Promise<ServersEnd | null> {
    try {
      const connection = this.connect();
      const { end, startedAt, incarnation, limitedUntil } = await clientOf(connection).agent(agent);
      if (!end)
        return limitedUntil === null ? null : { startedAt, limitedUntil, order: null, isMeant: false };
      const mayBeOrdered = end.byHolter || end.how === 'stopped';
      const order = mayBeOrdered ? await orderIn(connection, agent, incarnation) : null;
      return { startedAt, limitedUntil, order, isMeant: !end.byHolter && end.how !== 'crash' };
    } catch (error) {
      return nullIfAway(error);
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

/** The newest decision about this start that ends it, or leaves it down, without a successor. */
async function orderIn(
  connection: Connection,
  agentId: string,
  incarnation: number,
): Promise<ServersEnd['order']> {
  const decided = await newestEvents(connection, { agentId, type: 'DECISION_MADE' }, DECISIONS_MAX);
  const final = decided.filter((event) => event.incarnation === incarnation && isFinal(event.payload)).at(-1);
  return final ? { by: String(final.payload.by), reason: String(final.payload.reason), at: final.at } : null;
}

/** Of an agent that has ended, a dismissal without a finding is the acceptance of its end. */
const isFinal = ({ decision, finding, wrong }: Readonly<Record<string, unknown>>): boolean =>
  decision === 'terminate' || (decision === 'dismiss' && finding === undefined && wrong === undefined);
