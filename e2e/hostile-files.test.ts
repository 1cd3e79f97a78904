import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { until } from '../packages/server/test/until.ts';
import { type HolterProcess, startHolter } from './holter-process.ts';
import { isThere, pidsSaid, World } from './run/kit.ts';

// An agent puts FIFOs, devices, links and huge files where Holter looks. Nothing waits for them (attacks 7, 8, 9).

const fifo = (path: string): void => void execFileSync('mkfifo', [path]);
const sparse = (path: string): void => {
  writeFileSync(path, '');
  truncateSync(path, 10 * 1024 ** 3);
};

describe('a server', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holter-hostile-')));
  let holter: HolterProcess | null = null;
  afterEach(async () => {
    await holter?.end('SIGKILL');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const session = (n: number): string => `${String(n).padStart(8, '0')}-d51f-4305-9248-db9d38df8039`;
  const hook = async (server: HolterProcess, body: object): Promise<number> => {
    const response = await fetch(`${server.url}/hooks/claude-code`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${server.token('enroll')}`,
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      },
      body: new Uint8Array(gzipSync(JSON.stringify(body))),
      signal: AbortSignal.timeout(5_000),
    });
    return response.status;
  };
  const findings = async (server: HolterProcess): Promise<readonly string[]> => {
    const response = await fetch(`${server.url}/v1/agents?limit=100`, {
      headers: { authorization: `Bearer ${server.token('viewer')}` },
      signal: AbortSignal.timeout(5_000),
    });
    const { agents } = (await response.json()) as {
      agents: readonly { findings: readonly { kind: string; evidence: string }[] }[];
    };
    return agents.flatMap((agent) =>
      agent.findings.flatMap(({ kind, evidence }) => (kind === 'file-unusable' ? evidence : [])),
    );
  };

  it('reports session files and transcripts that are none, goes on, and stops when it is told to', async () => {
    const projects = join(folder, '.claude', 'projects', '-shop');
    const sessions = join(folder, '.claude', 'sessions');
    mkdirSync(projects, { recursive: true });
    mkdirSync(sessions);
    fifo(join(sessions, '1.json'));
    symlinkSync('/dev/zero', join(sessions, '2.json'));
    sparse(join(sessions, '3.json'));
    holter = await startHolter(folder, ['--port', '0']);
    // More than the thread pool has threads, then one that is too large.
    const transcripts = Array.from({ length: 7 }, (_, n) => join(projects, `${session(n)}.jsonl`));
    for (const [n, path] of transcripts.entries()) (n < 6 ? fifo : sparse)(path);
    const bodies = transcripts.map((path, n) => ({
      session_id: session(n),
      transcript_path: path,
      cwd: '/shop',
      hook_event_name: 'SessionStart',
      source: 'startup',
    }));
    for (const body of bodies) expect(await hook(holter, body)).toBe(200);
    const server = holter;
    await until('all are reported', async () => (await findings(server)).length === bodies.length, 15_000);
    expect(new Set(await findings(server))).toEqual(
      new Set(['its transcript is a FIFO', 'its transcript is too large (10.7 GB; at most 2.1 GB)']),
    );
    for (const words of ['1.json is a FIFO', '2.json is a symbolic link', '3.json is too large'])
      await until(words, () => server.log().includes(words), 15_000);
    // Bodies are decompressed by the same threads that would wait for a FIFO. A token may send only so many at once.
    for (const body of bodies)
      await until('it is heard again', async () => (await hook(server, body)) === 200, 15_000);
    expect(await holter.end('SIGTERM')).toBe(0);
  });

  it('does not wait for a configuration that is a FIFO', async () => {
    fifo(join(folder, 'holter.yaml'));
    await expect(startHolter(folder, ['--port', '0', '--config', 'holter.yaml'])).rejects.toThrow(
      /holter\.yaml.*can't be read: it is a FIFO/,
    );
  });
});

describe('holter run', () => {
  const world = new World();
  afterAll(() => world.close());

  it.each<[what: string, script: string, says: string]>([
    ['FIFOs', 'mkfifo x; mv -f x "$C"; mkfifo x; mv -f x "$N"', 'its checkpoint file is a FIFO'],
    [
      'links',
      'ln -sf /etc/hostname "$C"; ln -sf "$PWD/victim" "$N"',
      'its checkpoint file is a symbolic link',
    ],
    ['10 GB', 'truncate -s 10G "$C" "$N"', 'its checkpoint file is too large'],
    ['directories', 'rm -f "$C" "$N"; mkdir "$C" "$N"', 'its checkpoint file is a directory'],
  ])(
    'reports checkpoint and nudge files that became %s, and ends the command when ordered',
    async (what, script, says) => {
      const agentId = what.replace(' ', '');
      writeFileSync(world.path('victim'), 'precious');
      const prelude = 'C=$HOLTER_CHECKPOINT_FILE; N=$HOLTER_NUDGE_FILE';
      const run = world.run(
        ...['--agent', agentId, '--checkpoint-file', `${agentId}.state`, '--no-recover', '--json', '--'],
        ...['sh', '-c', `${prelude}; ${script}; echo "pid $$"; sleep 1000 & wait`],
      );
      const pid = await until('it runs', () => pidsSaid(run.out())[0]);
      await until('it is said', () => run.err().includes(says), 15_000);
      await world.untilAgent(agentId, 'it is reported', (agent) =>
        agent.findings.some(({ kind, evidence }) => kind === 'file-unusable' && evidence.includes(says)),
      );
      await world.ask('POST', `/v1/agents/${agentId}/terminate`, { reason: 'enough' });
      await run.ended;
      expect(isThere(pid)).toBe(false);
      expect(run.report()).toMatchObject({ how: 'terminated' });
      expect(readFileSync(world.path('victim'), 'utf8')).toBe('precious');
    },
  );

  it('delivers a nudge in spite of a link in its place, and says why a directory gets none', async () => {
    writeFileSync(world.path('victim'), 'precious');
    const start = (agentId: string, script: string) =>
      world.run('--agent', agentId, '--', 'sh', '-c', `${script}; echo "pid $$"; sleep 1000 & wait`);
    const runs = [
      start('linked', 'ln -sf "$PWD/victim" "$HOLTER_NUDGE_FILE"'),
      start('blocked', 'rm -f "$HOLTER_NUDGE_FILE"; mkdir "$HOLTER_NUDGE_FILE"'),
    ];
    for (const run of runs) await until('it runs', () => pidsSaid(run.out())[0]);
    for (const id of ['linked', 'blocked'])
      await world.ask('POST', `/v1/agents/${id}/nudge`, { reason: 'still there?' });
    await world.untilAgent(
      'linked',
      'it is offered',
      ({ incident }) => incident?.nudges?.newest === 'offered',
    );
    const refused = await until('a receipt', async () => (await world.receipts('blocked'))[0]?.outcome);
    expect(refused).toBe('refused');
    await until('it is written', () => {
      const file = world.nudgeFile('linked');
      return file !== null && !lstatSync(file).isSymbolicLink();
    });
    expect(readFileSync(world.path('victim'), 'utf8')).toBe('precious');
    expect(readFileSync(world.nudgeFile('linked') ?? '', 'utf8')).toContain('still there?');
    for (const run of runs) {
      run.child.kill('SIGTERM');
      await run.ended;
    }
  });

  it('refuses a checkpoint file that is a FIFO or a link before it starts', async () => {
    fifo(world.path('fifo.state'));
    symlinkSync('/etc/hostname', world.path('link.state'));
    for (const [file, why] of [
      ['fifo.state', 'it is a FIFO'],
      ['link.state', 'it is a symbolic link'],
    ] as const) {
      const run = world.run('--checkpoint-file', file, '--', 'true');
      expect(await run.ended).toBe(2);
      expect(run.err()).toContain(`can't be read: ${why}`);
    }
  });
});
