import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IncidentView } from '@holter/server/local';
import type { ProcessRow, ProcessTable } from '@holter/server/process';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Io } from '../terminal/io.ts';
import { isBelowAgent } from './is-below-agent.ts';
import { noteShown } from './note-shown.ts';

let server: Server;
let asked: string[] = [];
/** What the server knows. */
let agents: readonly object[] = [];

beforeEach(async () => {
  asked = [];
  agents = [];
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => {
      body += String(part);
    });
    request.on('end', () => {
      if (request.method === 'GET') {
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ agents, nextCursor: null }));
        return;
      }
      asked.push(`${request.method} ${request.url} ${body}`);
      response.writeHead(403, { 'content-type': 'application/json' }).end('{"error":{"code":"forbidden"}}');
    });
  });
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
});
afterEach(() => new Promise((closed) => void server.close(closed)));

const incident = (incidentId: string, step: string, noticedAt: number | null = null) =>
  ({ incidentId, step, noticedAt }) as IncidentView;

/** The parent of this process, as this program. */
const tableOf = (argv: readonly string[], env: Readonly<Record<string, string>>): ProcessTable =>
  ({
    bootId: 'boot',
    row: (pid: number) =>
      pid === process.ppid ? ({ pid, parentPid: 0, startedAt: '1' } as ProcessRow) : null,
    argv: () => argv,
    environment: () => env,
  }) as unknown as ProcessTable;

let parent = tableOf(['bash'], {});

async function show(fields: Partial<Io>, ...incidents: (IncidentView | null)[]): Promise<readonly string[]> {
  const { port } = server.address() as AddressInfo;
  const io = { isTerminal: true, env: {}, ...fields } as Io;
  const connection = { url: `http://127.0.0.1:${port}`, token: 'hlt_viewer' };
  await noteShown(io, connection, incidents, (env, client) => isBelowAgent(env, client, parent));
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

const pane = { agentId: 'work.main.7', executor: 'run:tmux-1', end: null };
const claude = ['claude', '-p'];

it.each<[string, ProcessTable, readonly object[], boolean]>([
  ['an agent whose name is in the environment', tableOf(['sh'], { HOLTER_AGENT_ID: 'ada' }), [], false],
  ['an agent in a watched pane', tableOf(claude, { TMUX_PANE: '%7' }), [pane], false],
  ['an agent in a pane that nobody watches', tableOf(claude, { TMUX_PANE: '%7' }), [], true],
  ['an agent that has ended', tableOf(claude, { TMUX_PANE: '%7' }), [{ ...pane, end: {} }], true],
  ['a shell in a watched pane', tableOf(['bash'], { TMUX_PANE: '%7' }), [pane], true],
])('below %s, a terminal is that of a person or not', async (_what, table, known, isPerson) => {
  parent = table;
  agents = known;
  expect(await show({}, incident('ada/1', 'escalate'))).toHaveLength(isPerson ? 1 : 0);
});
