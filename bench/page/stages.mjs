// Servers with agents to show, each in its own process: the demo, and fleets of a given size.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DataFolder } from '@holter/server/local';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** `{ url, token, end }` of the demo. */
export async function demoStage() {
  const folder = mkdtempSync(join(tmpdir(), 'holter-pictures-'));
  const data = join(folder, 'data');
  const args = ['up', '--demo', '--port', '0', '--data', data, '--log-level', 'error'];
  const server = started([join(root, 'packages', 'holter', 'dist', 'main.js'), ...args]);
  const url = await saidBy(server, /http:\/\/127\.0\.0\.1:\d+/);
  const end = async () => {
    await ended(server);
    rmSync(folder, { recursive: true, force: true });
  };
  return { url, token: new DataFolder(`${data}-demo`).readToken('operator'), end };
}

/** The same for a fleet with this many agents and changes a second. */
export async function fleetStage(agents, perSecond) {
  const server = started([join(root, 'bench', 'page', 'fleet.mjs'), String(agents), String(perSecond)]);
  const { url, token } = JSON.parse(await saidBy(server, /\{.*\}/));
  return { url, token, end: () => ended(server) };
}

function started(args) {
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], cwd: root });
  // The server must not outlive this process.
  process.once('exit', () => server.kill('SIGKILL'));
  return server;
}

async function saidBy(server, pattern) {
  let text = '';
  for await (const chunk of server.stdout) {
    text += String(chunk);
    const found = pattern.exec(text);
    if (found) return found[0];
  }
  throw new Error(`it ended without a word: ${text}`);
}

async function ended(server) {
  if (server.exitCode !== null) return;
  server.kill('SIGTERM');
  await once(server, 'exit');
}
