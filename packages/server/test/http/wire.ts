import { connect, type Socket } from 'node:net';

/** Bytes as they are, for what no well-behaved client would send. */
export async function wire(
  port: number,
  parts: string | readonly (string | Buffer)[],
  options: { readonly isCut?: true } = {},
): Promise<{ status: number; text: string }> {
  const socket = connect(port, '127.0.0.1');
  const answer = readAll(socket);
  for (const part of [parts].flat()) socket.write(part);
  // A sender that dies in the middle: what it sent has gone out, the rest never comes.
  if (options.isCut) socket.end();
  const text = await answer;
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text };
}

function readAll(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => resolve(text));
    socket.on('close', () => resolve(text));
  });
}

/** A whole request, closing afterwards. */
export function request(
  method: string,
  target: string,
  headers: readonly string[],
  body: string | Buffer = '',
): (string | Buffer)[] {
  const length = Buffer.byteLength(body);
  return [
    `${method} ${target} HTTP/1.1\r\n${[...headers, 'Connection: close', `Content-Length: ${length}`].join('\r\n')}\r\n\r\n`,
    body,
  ];
}
