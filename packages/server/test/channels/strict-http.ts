import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { Channel } from '../../src/channels/index.ts';
import type { Answering, OtherSide } from '../../src/channels/shared/contract.ts';
import { drip, openOtherSide } from './other-side.ts';

export type Received = {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Record<string, unknown>;
};

/** Says what is wrong with a request, or which notice it shows. */
export type Protocol = (received: Received) => { readonly wrong: string } | { readonly key: string };

type Answer = Answering | ((response: ServerResponse) => void);

export type StrictServer = {
  readonly url: string;
  readonly requests: Received[];
  readonly other: Omit<OtherSide, 'answer'> & { readonly answer: (how: Answer) => void };
};

/** A real server that takes only requests of its protocol, and shows each notice once. */
export async function openStrict(protocol: Protocol, accepted = 200): Promise<StrictServer> {
  const requests: Received[] = [];
  const server = createServer(async (request, response) => {
    const answering = answer();
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const received = { headers: request.headers, text, body: JSON.parse(text) as Record<string, unknown> };
    requests.push(received);
    if (typeof answering === 'function') return answering(response);
    if (answering === 'is silent') return;
    if (answering === 'talks nonsense') return void response.socket?.end('220 hello, this is mail\r\n\r\n');
    const read = protocol(received);
    if (request.method !== 'POST' || 'wrong' in read)
      return void response.writeHead(400).end('wrong' in read ? read.wrong : 'not a POST');
    if (answering === 'is slow') {
      arrived.add(read.key);
      return drip(response.socket, `HTTP/1.1 ${accepted} OK\r\ncontent-length: 2\r\n\r\nok`);
    }
    const status = { 'takes it': accepted, 'asks to wait': 429, fails: 500, refuses: 400 }[answering];
    if (status === accepted) arrived.add(read.key);
    response.writeHead(status, status === 429 ? { 'retry-after': '30' } : {}).end();
  });
  const { port, other, answer, arrived } = await openOtherSide<Answer>(server);
  return { url: `http://127.0.0.1:${port}/hook`, requests, other };
}

/** For the contract of channels that send. */
export const fixtureOf =
  (protocol: Protocol, build: (url: string) => Channel, accepted?: number) =>
  async (): Promise<{ channel: Channel; other: OtherSide }> => {
    const { url, other } = await openStrict(protocol, accepted);
    return { channel: build(url), other };
  };
