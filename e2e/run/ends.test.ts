import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { bin, fixture, isThere, pidsSaid, until, World } from './kit.ts';

const world = new World();
afterAll(() => world.close());
const node = process.execPath;

describe('the end of a command', () => {
  it('passes its exit code through, and exit 0 is done', async () => {
    const done = world.run('--agent', 'done', '--json', '--', 'sh', '-c', 'echo fine');
    expect(await done.ended).toBe(0);
    expect(done.out()).toMatch(/^fine\n\{/);
    expect(done.report()).toMatchObject({ type: 'holter.run', how: 'done', exitCode: 0, recoveries: 0 });
    // No terminal is there to read it, but perhaps a log.
    expect(done.err()).toBe(
      'holter: only the process of sh is watched (exit, suspension, limits), not what it does; see --heartbeat\n',
    );
    expect(await world.agent('done')).toMatchObject({
      state: 'TERMINATED',
      end: { how: 'exit-0' },
      incident: null,
    });
  });

  it('tells a crash as a crash, and says so', async () => {
    const failed = world.run('--agent', 'failed', '--', 'sh', '-c', 'exit 3');
    expect(await failed.ended).toBe(3);
    // What was said of this program once is not said again.
    expect(failed.err()).toBe('holter: failed ended with exit code 3\n');
    expect(await world.agent('failed')).toMatchObject({ end: { how: 'crash', detail: 'exit code 3' } });
    const killed = world.run('--agent', 'killed', '--', 'sh', '-c', 'kill -9 $$');
    expect(await killed.ended).toBe(137);
    expect(await world.agent('killed')).toMatchObject({ end: { how: 'crash', detail: 'killed by SIGKILL' } });
  });

  it('names the processes that a crash has left running', async () => {
    const run = world.run('--agent', 'untidy', '--json', '--', 'sh', '-c', 'sleep 300 & echo pid $!; exit 3');
    expect(await run.ended).toBe(3);
    const [left = 0] = pidsSaid(run.out());
    expect(run.report()).toMatchObject({ how: 'crashed', leftBehind: [left] });
    expect(run.err()).toContain(`it left a process running: pid ${left}`);
    process.kill(left, 'SIGKILL');
  });

  it('is intended after a request to stop', async () => {
    const run = world.run('--agent', 'stopped', '--mode', 'act', '--', node, fixture('quiet'));
    await until('it runs', () => pidsSaid(run.out())[0]);
    run.child.kill('SIGTERM');
    expect(await run.ended).toBe(143);
    expect(await world.agent('stopped')).toMatchObject({ end: { how: 'stopped' }, incident: null });
  });

  it('that was ordered is told, or why it does not come', async () => {
    const run = world.run('--agent', 'frozen', '--', node, fixture('quiet'));
    await until('it runs', () => pidsSaid(run.out())[0]);
    await world.untilAgent('frozen', 'its run is connected', ({ liveness }) => liveness === 'alive');
    process.kill(run.pid, 'SIGSTOP');
    const order = ['terminate', 'frozen', '--reason', 'enough'];
    const refused = await world.holter(...order);
    expect(refused.err).toContain('frozen is not stopped yet: its `holter run` is not connected');
    expect(refused.code).toBe(3);
    const { incident } = await world.agent('frozen');
    expect(incident?.next.why).toBe('waiting for its `holter run`, which is not connected');
    process.kill(run.pid, 'SIGCONT');
    expect(await run.ended).not.toBe(0);
    await world.untilAgent('frozen', 'it ended', ({ end }) => end !== null);
    const late = await world.holter(...order);
    expect(late.err).toContain('the agent has ended');
    const other = world.run('--agent', 'willing', '--', node, fixture('quiet'));
    await until('it runs', () => pidsSaid(other.out())[0]);
    const done = await world.holter('terminate', 'willing', '--reason', 'enough');
    expect(done).toMatchObject({ code: 0, err: '' });
    expect(done.out).toMatch(/^willing is being stopped .*\nwilling was stopped: ended by /);
    await other.ended;
  });

  it.each([
    ['a command that is not there', ['--', 'no-such-command'], 127, 'no-such-command: command not found'],
    ['a file that is no program', ['--', './holter.yaml'], 126, "can't be executed: permission denied"],
    ['a directory', ['--', './data'], 126, 'it is a directory'],
    ['a checkpoint that can not be read', ['--checkpoint-file', 'data', '--', 'true'], 2, "can't be read"],
    ['an unknown option', ['--frequency', '3', '--', 'true'], 2, "unknown option '--frequency'"],
    ['a wrong value', ['--limit-runtime', 'soon', '--', 'true'], 2, "write it like '90s'"],
    ['no command', [], 2, 'missing required argument'],
  ])('is one clear line for %s', async (_what, args, code, words) => {
    const run = world.run(...args);
    expect(await run.ended).toBe(code);
    expect(run.err()).toContain(words);
    const [, ...more] = run.err().trim().split('\n');
    // What commander refuses is followed by a pointer to the help.
    expect(more).toEqual(run.err().startsWith('error: ') ? ['(holter run --help shows examples)'] : []);
    expect(run.out()).toBe('');
  });
});

describe('a command that is brought back', () => {
  it('goes on from its newest checkpoint after kill -9', async () => {
    const run = world.run(
      '--agent',
      'counter',
      '--checkpoint-file',
      'a.json',
      '--json',
      '--',
      node,
      fixture('counter'),
      'until=30',
    );
    const pid = await until('it has counted', () => {
      const count = Number(/\d+/.exec(tryRead(world.path('a.json')))?.[0] ?? 0);
      return count >= 8 ? pidsSaid(run.out())[0] : null;
    });
    process.kill(pid, 'SIGKILL');
    expect(await run.ended).toBe(0);
    const from = Number(/attempt 1 from (\d+)/.exec(run.out())?.[1]);
    expect(from).toBeGreaterThanOrEqual(8);
    expect(run.report()).toMatchObject({ how: 'done', recoveries: 1, incarnation: 2 });
    expect(await world.events('counter')).toEqual(
      expect.arrayContaining(['CHECKPOINT_WRITTEN', 'RECOVERY_INITIATED', 'RECOVERY_COMPLETED']),
    );
  });

  it('takes an older checkpoint when the newest is half a file', async () => {
    const run = world.run(
      '--checkpoint-file',
      'b.json',
      '--',
      node,
      fixture('counter'),
      'corrupt=50',
      'until=55',
    );
    expect(await run.ended).toBe(0);
    const from = Number(/attempt 1 from (\d+)/.exec(run.out())?.[1]);
    expect(from).toBeGreaterThan(0);
    expect(from).toBeLessThan(50);
    expect(readFileSync(world.path('b.json.bad'), 'utf8')).toBe('{"count": ');
  });

  it('takes an older checkpoint when the kept bytes of the newest have changed', async () => {
    const run = world.run(
      '--agent',
      'rot',
      '--checkpoint-file',
      'c.json',
      '--',
      node,
      fixture('counter'),
      'until=200',
    );
    const kept = world.path('data/runs/rot/checkpoints');
    const pid = await until(
      'two are kept',
      () => (tryList(kept).length >= 3 ? pidsSaid(run.out())[0] : null),
      15_000,
    );
    process.kill(pid, 'SIGSTOP');
    // Damages the live file, and the copy that was made of its newest version.
    const newest = readFileSync(world.path('c.json'));
    writeFileSync(world.path('c.json'), 'not json');
    const hash = createHash('sha256').update(newest).digest('hex');
    if (tryList(kept).includes(hash)) writeFileSync(`${kept}/${hash}`, 'rotten');
    process.kill(pid, 'SIGKILL');
    await until('it runs again', () => /attempt 1 from (\d+)/.exec(run.out()));
    expect(Number(/attempt 1 from (\d+)/.exec(run.out())?.[1])).toBeGreaterThan(0);
    run.child.kill('SIGTERM');
    await run.ended;
  });

  it('uses the resume command, word by word', async () => {
    const resume = `${node} -e "console.log(process.argv.slice(1).join())" {attempt} '{agent} x' {checkpoint}`;
    const run = world.run(
      '--agent',
      'again',
      '--resume-command',
      resume,
      '--',
      'sh',
      '-c',
      'echo 1 > $HOLTER_CHECKPOINT_FILE; exit 1',
    );
    expect(await run.ended).toBe(0);
    expect(run.out()).toMatch(/^1,again x,.*checkpoint\n$/);
  });

  it('tells a successor why it was stopped, in the words of the operator', async () => {
    const script =
      'echo "pid $$ attempt $HOLTER_ATTEMPT: $HOLTER_RESTART_REASON."; cat "$HOLTER_NUDGE_FILE"; sleep 1000 & wait';
    const tell = `${node} -e "console.log(process.argv[1], process.env.HOLTER_RESTART_REASON)" {reason}`;
    const told = 'the wrong branch; $(id) use "release/2"';
    const [same, other] = [
      world.run('--agent', 'same', '--mode', 'act', '--', 'sh', '-c', script),
      world.run('--agent', 'other', '--resume-command', tell, '--', 'sh', '-c', script),
    ];
    for (const run of [same, other]) await until('it runs', () => run.out().includes('attempt 0: .'));
    // The command may be heard before its run is connected; until then nobody could start it again.
    for (const id of ['same', 'other'])
      await until('its run is connected', () =>
        world.ask('POST', `/v1/agents/${id}/terminate`, { reason: told, recover: true }).then(
          () => true,
          (error: Error) => {
            if (error.message.includes('can-not-start')) return false;
            throw error;
          },
        ),
      );
    await until('it runs again', () => same.out().includes(`attempt 1: ${told}.`));
    await until('its nudge file says it too', () => {
      const line = /^\{.*\}$/m.exec(same.out())?.[0];
      return line && (JSON.parse(line) as { message: string }).message.endsWith(told);
    });
    expect(await other.ended).toBe(0);
    expect(other.out()).toContain(`${told} ${told}\n`);
    same.child.kill('SIGTERM');
    await same.ended;
  });

  it('is left alone after the limits, with one clear message', async () => {
    const run = world.run(
      '--agent',
      'loop',
      '--mode',
      'act',
      '--json',
      '--',
      'sh',
      '-c',
      'echo try $HOLTER_ATTEMPT; exit 7',
    );
    expect(await run.ended).toBe(7);
    expect(run.out().match(/try \d/g)).toEqual(['try 0', 'try 1', 'try 2', 'try 3']);
    expect(run.err().match(/loop was started again \(attempt \d/g)).toHaveLength(3);
    expect(run.err().match(/which is the limit/g)).toHaveLength(1);
    expect(run.err()).toContain('holter why loop');
    expect(run.report()).toMatchObject({ how: 'crashed', recoveries: 3, needsPerson: true });
    expect((await world.agent('loop')).incident?.step).toBe('human');
  });

  it('is not brought back with --no-recover', async () => {
    const run = world.run('--mode', 'act', '--no-recover', '--', 'sh', '-c', 'echo once; exit 4');
    expect(await run.ended).toBe(4);
    expect(run.out()).toBe('once\n');
  });

  it('leaves no grandchild of its predecessor beside it', async () => {
    const run = world.run(
      '--checkpoint-file',
      'd.json',
      '--',
      node,
      fixture('counter'),
      'grandchild',
      'crash=5',
      'until=40',
    );
    await until('it runs again', () => /attempt 1/.test(run.out()));
    const [, before] = pidsSaid(run.out());
    expect(isThere(before ?? 0)).toBe(false);
    expect(await run.ended).toBe(0);
  });
});

describe('many at once', () => {
  it('says in words that a name is taken', async () => {
    const first = world.run('--agent', 'twin', '--', node, fixture('quiet'));
    await until('it runs', () => pidsSaid(first.out())[0]);
    const second = world.run('--agent', 'twin', '--', 'echo', 'never');
    expect(await second.ended).toBe(1);
    expect(second.err()).toContain('an agent called twin is already running');
    expect(second.out()).toBe('');
    first.child.kill('SIGTERM');
    await first.ended;
  });

  it('lets two runs on a fresh folder start one server', async () => {
    const fresh = new World();
    const runs = [1, 2].map((n) => fresh.run('--agent', `n${n}`, '--', 'sh', '-c', `echo ${n}`));
    expect(await Promise.all(runs.map(({ ended }) => ended))).toEqual([0, 0]);
    expect((await fresh.agent('n1')).end?.how).toBe('exit-0');
    expect((await fresh.agent('n2')).end?.how).toBe('exit-0');
    await fresh.close();
  });

  it('starts a server that has the page', async () => {
    expect(await world.run('--', 'true').ended).toBe(0);
    const page = await fetch(`${world.server.url}/`);
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/html'),
    ]);
  });

  it('gives the command pipes, as a shell would', async () => {
    const opened = world.run('--', 'sh', '-c', 'echo one > /dev/stdout; echo two > /dev/stderr');
    expect(await opened.ended).toBe(0);
    expect(opened.out()).toBe('one\n');
    expect(opened.err()).toContain('two\n');
    // `yes` is ended by SIGPIPE when the reader is gone, and the run ends the same way.
    const line = `'${node}' '${bin}' run -- yes | head -n 1; echo "\${PIPESTATUS[0]}"`;
    const { stdout } = spawnSync('bash', ['-c', line], {
      cwd: world.folder,
      env: world.env,
      encoding: 'utf8',
    });
    expect(stdout).toBe('y\n141\n');
  });

  it('passes 100 MB through, byte by byte', async () => {
    const make =
      'const b = Buffer.alloc(1e6, "0123456789"); for (let n = 0; n < 100; n++) process.stdout.write(b)';
    const child = spawn(node, [bin, 'run', '--', node, '-e', make], {
      env: world.env,
      cwd: world.folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of child.stdout) {
      bytes += (chunk as Buffer).length;
      hash.update(chunk as Buffer);
    }
    expect(bytes).toBe(1e8);
    const expected = createHash('sha256');
    const block = Buffer.alloc(1e6, '0123456789');
    for (let n = 0; n < 100; n++) expected.update(block);
    expect(hash.digest('hex')).toBe(expected.digest('hex'));
  });

  it('counts fifty short children without losing sight', async () => {
    const run = world.run(
      '--agent',
      'fifty',
      '--',
      'sh',
      '-c',
      'for n in $(seq 50); do /bin/true; done; sleep 1; echo ok',
    );
    expect(await run.ended).toBe(0);
    expect(run.out()).toBe('ok\n');
    expect((await world.agent('fifty')).end?.how).toBe('exit-0');
  });

  it('hosts the server inside with --no-daemon, and leaves nothing behind', async () => {
    const fresh = new World();
    const run = fresh.run(
      '--no-daemon',
      '--checkpoint-file',
      'x.json',
      '--',
      node,
      fixture('counter'),
      'crash=3',
      'until=6',
    );
    expect(await run.ended).toBe(0);
    expect(run.out()).toMatch(/attempt 1 from 3/);
    expect(tryRead(fresh.path('data/server.json'))).toBe('');
    await fresh.close();
  });
});

function tryRead(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function tryList(folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  return readdirSync(folder);
}

describe('a Holter that can not be used', () => {
  const nowhere = ['--data', world.path('holter.yaml/data')];

  it('is said in one sentence, and the command runs unwatched', async () => {
    const script = 'echo fine; echo "$HOLTER_AGENT_ID" >&2; exit 3';
    const run = world.run(...nowhere, '--json', '--', 'sh', '-c', script);
    expect(await run.ended).toBe(3);
    expect(run.out()).toMatch(/^fine\n/);
    expect(run.report()).toMatchObject({ type: 'holter.run', how: 'crashed', incarnation: 0, exitCode: 3 });
    expect(run.err()).toMatch(
      /^holter: Holter can't be used, and the command runs unwatched: the data folder .*ENOTDIR.*\n\n$/,
    );
  });

  it('passes a request to stop on', async () => {
    const run = world.run(...nowhere, '--', node, fixture('quiet'));
    await until('it runs', () => pidsSaid(run.out())[0]);
    run.child.kill('SIGTERM');
    expect(await run.ended).toBe(143);
  });

  it.each([
    ['a data folder that is none', nowhere, 'the data folder'],
    ['a server that does not answer', ['--url', 'http://127.0.0.1:1'], 'no server answers at'],
  ])('refuses to run where it is required: %s', async (_what, options, words) => {
    const run = world.run(...options, '--required', '--', 'echo', 'fine');
    expect(await run.ended).toBe(125);
    expect(run.out()).toBe('');
    expect(run.err()).toContain(`holter: Holter can't be used: ${words}`);
    expect(run.err().trim().split('\n')).toHaveLength(1);
  });
});

it('a command that Holter stopped is not done, whatever it says itself', async () => {
  const script = 'trap "exit 0" INT TERM; echo "pid $$"; while :; do sleep 0.1; done';
  const run = world.run('--agent', 'polite', '--json', '--', 'sh', '-c', script);
  await until('it runs', () => pidsSaid(run.out())[0]);
  await world.ask('POST', '/v1/agents/polite/terminate', { reason: 'enough', recover: false });
  expect(await run.ended).toBe(124);
  expect(run.report()).toMatchObject({ how: 'terminated', exitCode: 124 });
});

it('a start that the fleet holds back is announced with the time that it will take', async () => {
  const braked = new World(`
fleet: { brake: { losses_min: 1, share: 0.1, calm: 5s, release_every: 1s } }
health_monitoring: { recovery: { backoff_seconds: [2, 2, 2] } }
`);
  const script =
    'touch $HOLTER_AGENT_ID.on; until [ -e go ]; do sleep 0.1; done; [ $HOLTER_ATTEMPT = 0 ] && exit 9; exit 0';
  const runs = ['one', 'two', 'three'].map((name) =>
    braked.run('--agent', name, '--mode', 'act', '--', 'sh', '-c', script),
  );
  const areRunning = () => ['one', 'two', 'three'].every((name) => existsSync(braked.path(`${name}.on`)));
  await until('all run', areRunning, 25_000);
  writeFileSync(braked.path('go'), '');
  expect(await Promise.all(runs.map(({ ended }) => ended))).toEqual([0, 0, 0]);
  for (const run of runs)
    expect(run.err()).toMatch(
      /is started again in \d s: many agents were lost at once, so Holter delays restarts \(Ctrl-C gives up\)\n.*was started again \(attempt 1\)/,
    );
  await braked.close();
});
