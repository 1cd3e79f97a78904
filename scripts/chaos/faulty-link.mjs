// A TCP proxy with faults: between clients and a server, or between a server and PostgreSQL.

import { once } from 'node:events';
import { connect, createServer } from 'node:net';

export class FaultyLink {
  #pairs = new Set();
  #server = null;
  /** Each piece of data arrives so much later. */
  delayMs = 0;
  /** Nothing passes, and nobody is told; new connections are accepted. */
  isSilent = false;
  /** New connections are closed at once. */
  isClosed = false;

  constructor(targetOf) {
    this.targetOf = targetOf;
  }

  async listen() {
    this.#server = createServer((near) => this.#accept(near)).listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.port = this.#server.address().port;
  }

  /** The ports by which the target knows its connections. */
  get farPorts() {
    return [...this.#pairs].map(({ far }) => far.localPort).filter((port) => port !== undefined);
  }

  /** Cuts each connection with this probability. */
  cut(share = 1) {
    for (const { near, far } of this.#pairs) {
      if (Math.random() >= share) continue;
      near.destroy();
      far.destroy();
    }
  }

  close() {
    this.#server?.close();
    this.cut();
  }

  #accept(near) {
    if (this.isClosed) {
      near.destroy();
      return;
    }
    const far = connect({ port: this.targetOf(), host: '127.0.0.1', noDelay: true });
    near.setNoDelay(true);
    const pair = { near, far, isMute: false };
    this.#pairs.add(pair);
    const end = () => {
      this.#pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) socket.on('error', end).on('close', end);
    this.#pass(near, far, pair);
    this.#pass(far, near, pair);
  }

  /** In order: a piece waits for those before it. A connection that was used during a silence stays mute. */
  #pass(from, to, pair) {
    let last = Promise.resolve();
    let waiting = 0;
    from.on('data', (chunk) => {
      pair.isMute ||= this.isSilent;
      if (pair.isMute) return;
      if (this.delayMs === 0 && waiting === 0) {
        to.write(chunk);
        return;
      }
      waiting += 1;
      last = Promise.all([last, pause(this.delayMs)]).then(() => {
        waiting -= 1;
        if (!to.destroyed) to.write(chunk);
      });
    });
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
