import { request } from '../wire.ts';
import { ask, type Hostile, raw, type Tokens } from './ask.ts';

const beat = ['POST', '/v1/agents/ada/heartbeat'] as const;
const post = (tokens: Tokens, port: number, headers: readonly string[] = []): readonly string[] => [
  `Host: 127.0.0.1:${port}`,
  `Authorization: Bearer ${tokens.ada}`,
  'Content-Type: application/json',
  ...headers,
];
const wrongHost = (host: string): Hostile =>
  raw(`Host: ${host}`, [421, 'wrong_host'], () => request('GET', '/health', [`Host: ${host}`]));
const wrongOrigin = (origin: string): Hostile =>
  ask(`Origin: ${origin}`, beat, 'ada', [403, 'wrong_origin'], { body: {}, headers: { origin } });

export const onTheWire: readonly Hostile[] = [
  wrongHost('evil.example'),
  wrongHost('127.0.0.1.evil.example'),
  wrongHost('localhost.:80'),
  wrongHost('user@127.0.0.1'),
  wrongOrigin('https://evil.example'),
  wrongOrigin('null'),
  wrongOrigin('http://127.0.0.1.evil.example'),
  raw('HTTP/1.0 without Host', [421, 'wrong_host'], () => 'GET /health HTTP/1.0\r\n\r\n'),
  raw('another site as target', [421, 'wrong_host'], ({ port }) =>
    request('GET', 'http://evil.example/health', [`Host: 127.0.0.1:${port}`]),
  ),
  raw('dots in the path', [404, 'not_found'], ({ port }) =>
    request('GET', '/v1/agents/../../../health', [`Host: 127.0.0.1:${port}`]),
  ),
  raw('no HTTP', [400, 'bad_request'], () => 'EHLO holter\r\n\r\n'),
  raw('a header of 60 KB', [431, 'headers_too_large'], ({ port }) =>
    request('GET', '/health', [`Host: 127.0.0.1:${port}`, `X-A: ${'a'.repeat(60_000)}`]),
  ),
  raw('3,000 headers', [431, 'headers_too_large'], ({ port }) =>
    request('GET', '/health', [
      `Host: 127.0.0.1:${port}`,
      ...Array.from({ length: 3_000 }, (_, i) => `X-${i}: y`),
    ]),
  ),
  raw('a URL of 60 KB', [431, 'headers_too_large'], ({ port }) =>
    request('GET', `/v1/agents?q=${'q'.repeat(60_000)}`, [`Host: 127.0.0.1:${port}`]),
  ),
  raw('two lengths', [400, 'bad_request'], ({ port }, tokens) => [
    `POST /v1/agents/ada/heartbeat HTTP/1.1\r\n${post(tokens, port, ['Content-Length: 2', 'Transfer-Encoding: chunked']).join('\r\n')}\r\n\r\n{}`,
  ]),
  raw(
    'a body that ends early',
    [400, 'bad_request'],
    ({ port }, tokens) => [
      `POST /v1/agents/ada/signals HTTP/1.1\r\n${post(tokens, port, ['Content-Length: 500']).join('\r\n')}\r\n\r\n{"kind":"stopped","reason":"x"`,
    ],
    { isCut: true },
  ),
  raw(
    'lines that end early',
    [400, 'bad_request'],
    ({ port }, tokens) => [
      `POST /v1/signals HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${tokens.ada}\r\nContent-Type: application/x-ndjson\r\nContent-Length: 500\r\n\r\n{"kind":"stopped","agentId":"ada","reason":"x"}`,
    ],
    { isCut: true },
  ),
  raw('a body that never comes', [408, 'too_slow'], ({ port }, tokens) => [
    `POST /v1/agents/ada/signals HTTP/1.1\r\n${post(tokens, port, ['Content-Length: 500']).join('\r\n')}\r\n\r\n{"kind":`,
  ]),
  raw(
    'headers that never end',
    [408, 'too_slow'],
    ({ port }) => `GET /health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-Slow: `,
  ),
  raw('a chunk of nonsense', [400, 'bad_request'], ({ port }, tokens) => [
    `POST /v1/agents/ada/heartbeat HTTP/1.1\r\n${post(tokens, port, ['Transfer-Encoding: chunked']).join('\r\n')}\r\n\r\nZZZ\r\n{}\r\n`,
  ]),
];
