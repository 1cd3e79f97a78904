import type { ServerResponse } from 'node:http';
import { EventStream, type Store } from '@holter/server';
import type { ServerProcess } from './server-process.ts';

/**
 * A reader that follows the event stream across everything that happens to its server, by the code that serves
 * browsers. It reconnects with the last id that it saw, and must in the end have seen every event once.
 */
export class StreamReader {
  readonly cursors: number[] = [];
  private last = 0;
  private stream: EventStream | null = null;
  private server: ServerProcess | null = null;

  get isConnected(): boolean {
    return this.server !== null && !this.server.isDead;
  }

  connect(server: ServerProcess, store: Pick<Store, 'readEvents' | 'lastCursor'>): void {
    this.server = server;
    const stream = new EventStream(this.response(server), {}, this.last, {
      store,
      clock: server.clock,
      bytesMax: 1_000_000,
      onClose: () => undefined,
    });
    this.stream = stream;
    server.engine?.onCommitted(() => stream.hint());
    stream.start();
  }

  disconnect(): void {
    this.stream?.close(null);
    this.server = null;
  }

  /** As much of a response as a stream of events needs. What a dead server still says is not heard. */
  private response(server: ServerProcess): ServerResponse {
    const response = {
      writableLength: 0,
      writeHead: () => response,
      write: (text: string) => {
        if (this.server === server && !server.isDead) this.hear(text);
        return true;
      },
      on: () => response,
      once: () => response,
      off: () => response,
      end: () => response,
      destroy: () => response,
    };
    return response as unknown as ServerResponse;
  }

  private hear(text: string): void {
    for (const frame of text.split('\n\n')) {
      const id = /^id: (\d+)$/m.exec(frame)?.[1];
      if (id === undefined) continue;
      this.last = Number(id);
      if (frame.includes('\nevent: ')) this.cursors.push(this.last);
    }
  }
}
