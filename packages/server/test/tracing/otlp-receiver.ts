import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { type DecodedSpan, decodeTraces } from './otlp-decoder.ts';

export type OtlpReceiver = {
  readonly url: string;
  readonly spans: DecodedSpan[];
  /** What was wrong with requests. */
  readonly wrong: string[];
  requests: number;
  answer: number;
  readonly close: () => Promise<void>;
};

/** A receiver of OTLP/HTTP that takes nothing but valid protobuf at the right path. */
export async function openReceiver(): Promise<OtlpReceiver> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    receiver.requests += 1;
    if (receiver.answer !== 200) return void response.writeHead(receiver.answer).end();
    try {
      const { method, url, headers } = request;
      const type = headers['content-type'];
      if (method !== 'POST' || url !== '/v1/traces' || type !== 'application/x-protobuf')
        throw new Error(`${method} ${url} ${type}`);
      const body = Buffer.concat(chunks);
      const decoded = decodeTraces(headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body);
      receiver.spans.push(...decoded);
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    } catch (error) {
      receiver.wrong.push(String(error));
      response.writeHead(400).end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: OtlpReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    spans: [],
    wrong: [],
    requests: 0,
    answer: 200,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}
