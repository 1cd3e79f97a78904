import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/until.ts';
import { agentOf, commitOf, committed, putLetter } from '../contract/kit.ts';
import { hasPostgres, TempPostgres } from '../contract/temp-postgres.ts';
import type { Store } from '../store.ts';
import { openPostgres } from './index.ts';

/** Between a server and PostgreSQL. It can hold back what the server sends, as if the server had been stopped. */
class Link {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private repliesLeft = Number.POSITIVE_INFINITY;
  private readonly held: (() => void)[] = [];

  constructor(target: URL) {
    this.server = createServer((near) => {
      const far = connect(Number(target.port), target.hostname);
      for (const socket of [near, far]) this.sockets.add(socket.on('error', () => undefined));
      near.on('data', (chunk) => {
        if (this.repliesLeft > 0) far.write(chunk);
        else this.held.push(() => far.write(chunk));
      });
      far.on('data', (chunk) => {
        this.repliesLeft -= 1;
        near.write(chunk);
      });
      near.on('close', () => far.destroy());
      far.on('close', () => near.destroy());
    });
  }

  async listen(): Promise<number> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  /** Holds back what the server sends after so many more replies. */
  stopAfter(replies: number): void {
    this.repliesLeft = replies;
  }

  get isHolding(): boolean {
    return this.held.length > 0;
  }

  goOn(): void {
    this.repliesLeft = Number.POSITIVE_INFINITY;
    for (const send of this.held.splice(0)) send();
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }
}

describe.skipIf(!hasPostgres())('a server that is stopped', () => {
  const database = new TempPostgres();
  let other: Store;
  let stopped: Store;
  let link: Link;

  beforeEach(async () => {
    other = await database.fresh();
    const url = new URL(database.url);
    link = new Link(new URL(database.url));
    url.port = String(await link.listen());
    stopped = await openPostgres(url.href);
    await committed(stopped, commitOf(agentOf('ada'), 0));
  });
  afterEach(async () => {
    link.close();
    await stopped.close();
  });
  afterAll(() => database.dispose());

  it('has no transaction open in the middle of a commit, and overwrites nothing when it goes on', async () => {
    link.stopAfter(1);
    const late = stopped.commit([commitOf(agentOf('ada', { role: 'late' }), 1)]);
    await until('its second message is held', () => link.isHolding);
    expect(
      await database.run(`select query from pg_stat_activity
        where datname = current_database() and state = 'idle in transaction'`),
    ).toEqual([]);
    expect(await committed(other, commitOf(agentOf('ada', { role: 'quick' }), 1))).toBe(2);
    link.goOn();
    expect(await late).toEqual([{ kind: 'conflict', what: 'agent' }]);
    expect(await other.load('ada')).toMatchObject({ version: 2, agent: { hard: { role: 'quick' } } });
  });

  it('does not hold up the letters of others', { timeout: 30_000 }, async () => {
    await putLetter(stopped, 'first');
    // It has begun a transaction, and has the lock of all letters.
    link.stopAfter(3);
    const late = putLetter(stopped, 'late').catch(() => 'lost');
    await until('the rest is held', () => link.isHolding);
    expect(await putLetter(other, 'quick')).toMatchObject({ kind: 'stored' });
    link.goOn();
    expect(await late).toBe('lost');
  });
});
