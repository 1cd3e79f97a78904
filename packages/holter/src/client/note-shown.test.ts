import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IncidentView } from '@holter/server/local';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Io } from '../terminal/io.ts';
import { noteShown } from './note-shown.ts';

let server: Server;
let asked: string[] = [];

beforeEach(async () => {
  asked = [];
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => {
      body += String(part);
    });
    request.on('end', () => {
      asked.push(`${request.method} ${request.url} ${body}`);
      response.writeHead(403, { 'content-type': 'application/json' }).end('{"error":{"code":"forbidden"}}');
    });
  });
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
});
afterEach(() => new Promise((closed) => void server.close(closed)));

const incident = (incidentId: string, step: string, noticedAt: number | null = null) =>
  ({ incidentId, step, noticedAt }) as IncidentView;

async function show(fields: Partial<Io>, ...incidents: (IncidentView | null)[]): Promise<readonly string[]> {
  const { port } = server.address() as AddressInfo;
  const io = { isTerminal: true, env: {}, ...fields } as Io;
  await noteShown(io, { url: `http://127.0.0.1:${port}`, token: 'hlt_viewer' }, incidents);
  return asked;
}

it('tells what a person was shown on a terminal; that the token may only look is no failure', async () => {
  const shown = [incident('ada/1', 'escalate'), incident('bob/2', 'human'), incident('cal/1', 'escalate', 5)];
  expect(await show({}, ...shown, null, incident('dan/1', 'nudge'))).toEqual([
    'POST /v1/incidents/shown {"incidentIds":["ada/1","bob/2"]}',
  ]);
});

it.each<[string, Partial<Io>]>([
  ['a file or a pipe', { isTerminal: false }],
  ['the terminal of a watched agent', { env: { HOLTER_AGENT_ID: 'ada' } }],
])('%s reaches nobody who decides', async (_what, fields) => {
  expect(await show(fields, incident('ada/1', 'escalate'))).toEqual([]);
});
