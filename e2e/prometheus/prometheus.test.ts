import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createClient } from '@holter/server';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { until } from '../../packages/server/test/until.ts';
import { type HolterProcess, root, startHolter } from '../holter-process.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 30_000 });

/** `npm test` has found or installed Prometheus; a test that is run alone expects it in the path. */
const program = process.env.HOLTER_PROMETHEUS ?? 'prometheus';
const promtool = program === 'prometheus' ? 'promtool' : join(dirname(program), 'promtool');
const example = (name: string): string => join(root, 'examples', 'prometheus', name);

const folder = mkdtempSync(join(tmpdir(), 'holter-prometheus-'));
let holter: HolterProcess | null = null;
let prometheus: ChildProcess | null = null;

afterAll(async () => {
  if (prometheus && prometheus.exitCode === null) {
    const gone = once(prometheus, 'exit');
    prometheus.kill('SIGTERM');
    await gone;
  }
  await holter?.end('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
});

type Rule = { readonly name: string; readonly health: string; readonly lastError?: string };
type Alert = { readonly labels: Readonly<Record<string, string>>; readonly state: string };

describe.runIf(program !== '')('Prometheus', () => {
  it('accepts the rules, and each fires when it should', () => {
    execFileSync(promtool, ['check', 'rules', example('holter-rules.yml')]);
    execFileSync(promtool, ['test', 'rules', join(root, 'e2e', 'prometheus', 'rules.test.yml')]);
  });

  it('scrapes a server with the example configuration, and finds an agent in trouble', async () => {
    const config = join(folder, 'holter.yaml');
    writeFileSync(config, 'metrics:\n  per_agent: true\n');
    holter = await startHolter(folder, ['--port', '0', '--config', config]);
    const client = createClient({ url: holter.url, token: holter.token('operator') });
    await client.register({ agentId: 'ada', group: 'crew', instanceId: 'i' });
    await client.signal('ada', { kind: 'error', message: 'no disk', isUnrecoverable: true, incarnation: 1 });
    const { text } = await scrape(holter);
    execFileSync(promtool, ['check', 'metrics'], { input: withoutKnownAdvice(text) });

    const url = await startPrometheus(holter);
    const ask = async <T>(path: string): Promise<T> =>
      ((await (await fetch(`${url}/api/v1/${path}`)).json()) as { data: T }).data;
    const alerts = await until('an alert about ada', async () => {
      const found = (await ask<{ alerts: Alert[] }>('alerts')).alerts;
      return found.some(({ labels }) => labels.alertname === 'HolterAgentsInTrouble') && found;
    });
    expect(alerts.find(({ labels }) => labels.alertname === 'HolterAgentsInTrouble')).toMatchObject({
      labels: { group: 'crew', severity: 'warning' },
      state: 'pending',
    });
    expect(alerts.map(({ labels }) => labels.alertname)).not.toContain('HolterDown');
    const rules = await until('all rules are evaluated', async () => {
      const { groups } = await ask<{ groups: { rules: Rule[] }[] }>('rules');
      const all = groups.flatMap((group) => group.rules);
      return all.length > 5 && all.every(({ health }) => health !== 'unknown') && all;
    });
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
    const { result } = await ask<{ result: { metric: Record<string, string> }[] }>(
      `query?query=${encodeURIComponent('holter_agent_state{agent="ada"}')}`,
    );
    expect(result.map(({ metric }) => [metric.group, metric.state])).toEqual([['crew', 'FAILING']]);
  });
});

async function scrape({ url, token }: HolterProcess): Promise<{ readonly text: string }> {
  const headers = { authorization: `Bearer ${token('viewer')}` };
  return { text: await (await fetch(`${url}/metrics`, { headers })).text() };
}

/** `promtool check metrics` also has opinions about names, and these names are public. */
const withoutKnownAdvice = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !line.includes('process_cpu_seconds_total'))
    .join('\n');

/** The example's configuration, but for ports and times. */
async function startPrometheus(server: HolterProcess): Promise<string> {
  const port = await freePort();
  const config = readFileSync(example('prometheus.yml'), 'utf8')
    .replaceAll('15s', '500ms')
    .replace('4658', String(server.port));
  writeFileSync(join(folder, 'prometheus.yml'), config);
  writeFileSync(join(folder, 'viewer.token'), server.token('viewer'));
  copyFileSync(example('holter-rules.yml'), join(folder, 'holter-rules.yml'));
  const args = [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'tsdb')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  let log = '';
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  child.stderr.on('data', (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-10_000);
  });
  prometheus = child;
  const url = `http://127.0.0.1:${port}`;
  await until(`Prometheus is ready\n${log}`, async () => {
    if (child.exitCode !== null) throw new Error(`Prometheus ended\n${log}`);
    return (await fetch(`${url}/-/ready`).catch(() => null))?.ok === true;
  });
  return url;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
