import { CHAIN_GROUP, type LinkName } from '@holter/core';
import { type Client, createClient } from '@holter/server/local';
import type { StoredEvent } from '@holter/server/own-store';
import type { DataFolder } from '@holter/server/process';
import { DAEMON, OVERSEER } from '../town/town.ts';
import type { ChainBook } from './chain-book.ts';
import { type HandedIn, incidentsIn } from './incidents.ts';

const ANSWER_MS_MAX = 10_000;

type ReporterOptions = {
  readonly folder: DataFolder;
  /** Which start of the daemon this is. */
  readonly instanceId: string;
  readonly tickMs: number;
};

/** What the daemon tells the server: that it lives, and what it has done while the server was down. */
export class Reporter {
  private readonly options: ReporterOptions;
  /** As the server counts it; null until it was told. */
  private incarnation: number | null = null;

  constructor(options: ReporterOptions) {
    this.options = options;
  }

  /** Throws if the server does not answer; everything is told again then. */
  async report(book: ChainBook): Promise<void> {
    const client = this.client();
    if (!client) return;
    const { instanceId, tickMs } = this.options;
    const promises = { beatEverySeconds: Math.max(1, tickMs / 1_000) };
    const { incarnation } = await this.register(client, DAEMON, instanceId, promises);
    this.incarnation = incarnation;
    await client.heartbeat(DAEMON, { incarnation });
    const events = await book.unreported();
    for (const incident of incidentsIn(events)) {
      const { latchedAt } = book.link(incident.link as LinkName).budget;
      const needsPerson = incident.needsPerson || (latchedAt !== undefined && !incident.isClosed);
      await this.handIn(client, { ...incident, needsPerson });
    }
    const newest = events.at(-1) satisfies StoredEvent | undefined;
    if (newest) await book.noteReported(newest);
  }

  /** A letter to the person in charge. Null when it is in the box, else why it is not. */
  async tell(message: string): Promise<string | null> {
    const client = this.client();
    if (!client) return 'the server does not run';
    await client.sendLetter({
      from: DAEMON,
      to: OVERSEER,
      subject: 'The watchdog chain needs you',
      priority: 'high',
      content: { type: 'alert', message },
    });
    return null;
  }

  /** It ends on purpose: the server need not wait for it. */
  async leave(): Promise<void> {
    const { incarnation } = this;
    if (incarnation === null) return;
    await this.client()?.signal(DAEMON, { kind: 'stopped', incarnation, reason: 'the daemon was stopped' });
  }

  /** Each link has a name of its own here: an agent called `server` may be anybody's. */
  private async handIn(
    client: Client,
    { link, id, evidence, needsPerson, isClosed, cause, at }: HandedIn,
  ): Promise<void> {
    const agentId = `${DAEMON}:${link}`;
    const { incarnation } = await this.register(client, agentId, DAEMON, {});
    const finding = {
      kind: cause,
      severity: needsPerson ? 'act' : 'warn',
      source: 'operating-system',
      since: at,
      evidence,
      threshold: 'as the daemon has seen it',
    };
    const about = { agentId, incarnation };
    await client.signal(agentId, [
      { ...about, kind: 'finding', id: `${id}/${at}`, finding },
      ...(isClosed ? [{ ...about, kind: 'finding-cleared', id: `${id}/closed`, findingKind: cause }] : []),
    ]);
  }

  private register(client: Client, agentId: string, instanceId: string, promises: object) {
    return client.register({
      agentId,
      instanceId,
      role: CHAIN_GROUP,
      group: CHAIN_GROUP,
      mode: 'observe',
      can: [],
      promises,
    });
  }

  private client(): Client | null {
    const { folder } = this.options;
    const server = folder.readServer();
    const token = folder.readToken('operator');
    return server && token ? createClient({ url: server.url, token, timeoutMs: ANSWER_MS_MAX }) : null;
  }
}
