import type { AddressInfo, Server, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answering, OtherSide } from '../../src/channels/shared/contract.ts';

/** A real server on this machine, at the other end of a channel. Closing it breaks every connection. */
export async function openOtherSide<Answer = Answering>(
  server: Server,
): Promise<{
  readonly port: number;
  /** How it answers now. */
  readonly answer: () => Answer | 'takes it';
  /** Keys of the notices that it has shown. */
  readonly arrived: Set<string>;
  readonly other: Omit<OtherSide, 'answer'> & { readonly answer: (how: Answer | 'takes it') => void };
}> {
  let answering: Answer | 'takes it' = 'takes it';
  const arrived = new Set<string>();
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    answer: () => answering,
    arrived,
    other: {
      answer: (how) => {
        answering = how;
      },
      arrived: () => [...arrived],
      close: () =>
        new Promise((resolve) => {
          for (const socket of sockets) socket.destroy();
          server.close(() => resolve());
        }),
    },
  };
}

/** An answer in small pieces. */
export async function drip(socket: Socket | null, text: string): Promise<void> {
  for (const piece of text.match(/.{1,8}/gs) ?? []) {
    socket?.write(piece);
    await pause(10);
  }
}
