import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DataFolder } from '../../packages/server/src/data-folder.ts';
import { systemTable } from '../../packages/server/src/processes/index.ts';
import { startHttp, type TestServer } from '../../packages/server/test/http/kit.ts';
import { until } from '../../packages/server/test/until.ts';
import { bin, cleanEnvironment } from '../holter-process.ts';

// A person's keys in a real terminal: tmux draws what `holter top` writes, and shows it as text.

const hasTmux = process.env.HOLTER_TMUX !== '';
const PATIENCE_MS = 40_000;
const LOOK_MS = 50;
const WORKERS = 40;
const crashOnSignal = fileURLToPath(new URL('./fixtures/crash-on-signal.cjs', import.meta.url));

const socket = `holter-top-${process.pid}`;
const sessions = new Set<string>();
let folder: string;
let server: TestServer;

const environment = (): Record<string, string> =>
  cleanEnvironment(folder, { LANG: 'C.UTF-8', USER: 'alice', TERM: 'screen-256color' });

const tmux = (...args: readonly string[]): string =>
  execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...args], { encoding: 'utf8', env: environment() });

describe.runIf(hasTmux)('holter top', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holter-top-'));
    server = await startHttp();
    const data = new DataFolder(join(folder, 'data'));
    data.prepare();
    data.writeToken('operator', server.tokens.operator);
    data.writeServer({ url: server.url, pid: process.pid, version: '0', startedAt: 0 });
    const codingAgent = join(folder, 'coding-agent');
    writeFileSync(codingAgent, '#!/bin/sh\necho "CODING AGENT: $2" | head -1\necho "$1"\nread line\n');
    chmodSync(codingAgent, 0o755);
    mkdirSync(join(folder, 'holter'));
    writeFileSync(
      join(folder, 'holter', 'holter.yaml'),
      `top: { triage_command: [${codingAgent}, '{mcp_config}', '{prompt}'] }\n`,
    );
    for (let index = 0; index < WORKERS; index += 1)
      await server.operator.register({ agentId: `worker-${index}`, instanceId: 'one' });
  });
  afterAll(async () => {
    for (const name of sessions) tmux('kill-session', '-t', `=${name}`);
    await server?.stop();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  /** A shell in a terminal of this size, in which `holter top` runs. */
  const terminal = (name: string, columns: number, rows: number, more = '') => {
    const target = `=${name}:`;
    const screen = (): string => tmux('capture-pane', '-p', '-t', target);
    const shown = (text: string): Promise<void> =>
      expect.poll(screen, { timeout: PATIENCE_MS, interval: LOOK_MS }).toContain(text);
    const gone = (text: string): Promise<void> =>
      expect.poll(screen, { timeout: PATIENCE_MS, interval: LOOK_MS }).not.toContain(text);
    const press = (...keys: readonly string[]): void => void tmux('send-keys', '-t', target, ...keys);
    const fact = (format: string): string => tmux('display-message', '-p', '-t', target, format).trim();
    const size = ['-x', String(columns), '-y', String(rows)];
    sessions.add(name);
    tmux('new-session', '-d', '-s', name, ...size, 'sh');
    press(
      '-l',
      `PS1='BEFORE> '; ${more} exec_top() { ${process.execPath} ${bin} top; echo "ENDED $?"; }; clear; exec_top`,
    );
    press('Enter');
    return { screen, shown, gone, press, fact };
  };

  const fail = async (agentId: string): Promise<void> => {
    await server.operator.register({ agentId, instanceId: 'one', mode: 'act', can: ['nudge'] });
    await server.operator.signal(agentId, {
      kind: 'error',
      message: 'no disk',
      isUnrecoverable: true,
      incarnation: 1,
    });
    await server.pass(2);
  };

  const writeTicket = (agentId: string) =>
    server.call('POST', '/v1/tickets', {
      token: server.tokens.operator,
      body: {
        ticket: {
          worker_agent_id: agentId,
          worker_session_id: 'session-1',
          worker_node_id: 'node-1',
          worker_graph_id: 'graph-1',
          severity: 'high',
          cause: 'the same call again and again',
          judge_reasoning: '16 steps without an accepted one',
          suggested_action: 'restart it',
          recent_verdicts: ['RETRY', 'RETRY'],
          total_steps_checked: 16,
          steps_since_last_accept: 16,
          stall_minutes: null,
          evidence_snippet: 'Let me look at it once more.',
        },
      },
    });

  it.each([
    ['small', 80, 24],
    ['large', 200, 50],
  ] as const)('is driven by keys in a %s terminal, and leaves it as it was', async (name, columns, rows) => {
    const agentId = `ada-${name}`;
    await fail(agentId);
    const top = terminal(name, columns, rows);
    await top.shown('1 needs you');
    expect(top.screen()).toMatch(new RegExp(`^›!${agentId} .*FAILING.*waiting for you`, 'm'));
    for (const line of top.screen().split('\n')) expect(line.length).toBeLessThan(columns);

    top.press('Down', 'Up', 'Enter');
    await top.shown(`${agentId} has been FAILING`);
    await top.shown('→ [');
    top.press('Escape');
    await top.shown('LAST HOUR');

    // A person has pressed keys, and the incident was on the screen.
    const noticedAt = async () => (await server.operator.agent(agentId)).incident?.noticedAt;
    await expect.poll(noticedAt, { timeout: PATIENCE_MS }).toEqual(expect.any(Number));

    // The last row of the list is reached by one key, and the window on the fleet follows.
    top.press('End');
    await top.shown(`› worker-${WORKERS - 1} `);
    top.press('Home', '/', 'worker-3', 'Enter');
    await top.shown('/worker-3');
    await top.gone(agentId);

    // Both events of a ticket are shown although its agent is filtered out.
    expect((await writeTicket(agentId)).status).toBe(201);
    await top.shown('judge: high ticket');
    await top.shown(`high  ${agentId}: The ticket is high.`);
    top.press('x');
    await top.gone('The ticket is high.');
    await top.shown('^Q triage');

    top.press('C-q');
    await top.shown('16 steps without an accepted one');
    await top.shown('y useful');
    top.press('a');
    await top.shown('CODING AGENT: Holter');
    await until('its arguments are shown', () => top.screen().replaceAll('\n', '').includes('"mcp"'));
    expect(top.fact('#{alternate_on}')).toBe('0');
    top.press('Enter');
    await top.shown('y useful');
    top.press('y');
    await top.shown('noted: useful');
    top.press('Escape');
    await top.shown('LAST HOUR');
    top.press('Escape');
    await top.shown(agentId);

    top.press('t');
    await top.shown('useful      the same call');
    top.press('b');
    await top.shown('All breakers are closed.');
    top.press('?');
    await top.shown('this help');
    top.press('i', '/', agentId, 'Enter');
    await top.shown(`› ${agentId}`);
    top.press('d');
    await top.shown('acknowledge');
    top.press('1');
    await top.shown(`${agentId} is acknowledged`);
    const decided = (await server.operator.events({ agentId, type: 'DECISION_MADE' })).events;
    expect(decided[0]?.payload).toMatchObject({ by: 'alice', decision: 'acknowledge' });

    top.press('q');
    await top.shown('ENDED 0');
    expect(top.screen()).not.toContain('Holter  ');
    expect(top.fact('#{alternate_on} #{cursor_flag}')).toBe('0 1');
  });

  it.each([
    ['SIGTERM', 0],
    ['SIGUSR2', 1],
  ] as const)('leaves the terminal clean when it is ended by %s', async (signal, code) => {
    // SIGUSR2 throws an error that nothing catches.
    const name = signal.toLowerCase();
    const top = terminal(name, 80, 24, `export NODE_OPTIONS='--require ${crashOnSignal}';`);
    await top.shown('LAST HOUR');
    const shell = Number(top.fact('#{pane_pid}'));
    const [child = 0] = systemTable()?.childPids(shell) ?? [];
    process.kill(child, signal);
    await top.shown(`ENDED ${code}`);
    expect(top.fact('#{alternate_on} #{cursor_flag}')).toBe('0 1');
    top.press('-l', 'echo typed');
    await top.shown('BEFORE> echo typed');
  });
});
