import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { fixture, isThere, pidsSaid, type Run, until, World } from './kit.ts';

const world = new World();
afterAll(() => world.close());
const node = process.execPath;

const pidOf = (run: Run): Promise<number> => until('it says its pid', () => pidsSaid(run.out())[0]);
const beats = ['--heartbeat', 'output', '--heartbeat-every', '500ms'] as const;

async function endRun(run: Run): Promise<void> {
  run.child.kill('SIGTERM');
  await run.ended;
}

describe('a process that is stopped (SIGSTOP)', () => {
  it('is reported, and neither killed nor continued', async () => {
    const run = world.run('--agent', 'still', '--mode', 'act', '--', node, fixture('quiet'));
    const pid = await pidOf(run);
    process.kill(pid, 'SIGSTOP');
    const stopped = await world.untilAgent('still', 'it is called frozen', ({ findings }) =>
      findings.some(({ kind, severity }) => kind === 'frozen' && severity === 'act'),
    );
    expect(stopped.findings.find(({ severity }) => severity === 'act')?.evidence).toContain('SIGSTOP');
    await until('it is said', () =>
      run.err().includes(`is suspended (SIGSTOP); kill -CONT ${pid} resumes it`),
    );
    expect(stopped.incident?.step).toBe('escalate');
    expect(isThere(pid)).toBe(true);
    process.kill(pid, 'SIGCONT');
    await world.untilAgent('still', 'nothing is found any more', ({ findings }) => findings.length === 0);
    await endRun(run);
  });

  it('is continued, if that was asked for', async () => {
    const run = world.run('--agent', 'pushed', '--when-stopped', 'continue', '--', node, fixture('quiet'));
    const pid = await pidOf(run);
    process.kill(pid, 'SIGSTOP');
    await until('it was continued', () => run.err().includes('it was continued (SIGCONT)'));
    await until('it sleeps again', () => / S /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')));
    await endRun(run);
  });
});

describe('promises decide', () => {
  it('a spinner burns CPU and is missed all the same, but one witness does not kill it', async () => {
    const run = world.run(
      '--agent',
      'spinner',
      '--mode',
      'act',
      ...beats,
      '--',
      node,
      fixture('quiet'),
      'spin',
    );
    const pid = await pidOf(run);
    const agent = await world.untilAgent('spinner', 'it is missed', ({ incident }) => incident !== null);
    expect(agent.findings.map(({ kind }) => kind)).toContain('missed-heartbeats');
    expect(agent.findings.map(({ kind }) => kind)).not.toContain('frozen');
    expect(isThere(pid)).toBe(true);
    await endRun(run);
  });

  it('silence is no proof of death for a command that promised only to run', async () => {
    const run = world.run('--agent', 'silent', '--mode', 'act', '--', node, fixture('quiet'), 'hang');
    await pidOf(run);
    await world.untilAgent('spinner', 'a while has passed', ({ end }) => end !== null);
    expect(await world.agent('silent')).toMatchObject({ state: 'HEALTHY', incident: null, end: null });
    await endRun(run);
  });

  it('one that hangs on a socket is frozen: missed, and the system sees no sign of work', async () => {
    const run = world.run('--agent', 'hung', '--mode', 'act', ...beats, '--', node, fixture('quiet'), 'hang');
    const before = await pidOf(run);
    const agent = await world.untilAgent('hung', 'it is frozen', ({ findings }) =>
      findings.some(({ kind, severity }) => kind === 'frozen' && severity === 'act'),
    );
    expect(agent.incident?.step).toBe('escalate');
    await world.ask(
      'POST',
      `/v1/incidents/${encodeURIComponent(agent.incident?.incidentId ?? '')}/decision`,
      {
        decision: 'terminate_and_recover',
        reason: 'it hangs',
      },
    );
    const after = await until('its successor runs', () => pidsSaid(run.out())[1]);
    expect(isThere(before)).toBe(false);
    expect(isThere(after)).toBe(true);
    const events = await world.events('hung');
    expect(events).toEqual(expect.arrayContaining(['AGENT_TERMINATED', 'RECOVERY_INITIATED']));
    // Its successor is on probation.
    expect(events).not.toContain('RECOVERY_COMPLETED');
    await endRun(run);
  });

  it('a touched file is a beat', async () => {
    const script = 'while :; do touch "$HOLTER_HEARTBEAT_FILE"; sleep 0.1; done';
    const file = ['--heartbeat', 'file', '--heartbeat-every', '1s'];
    const run = world.run('--agent', 'toucher', ...file, '--', 'sh', '-c', script);
    const agent = await world.untilAgent('toucher', 'its beats are heard', (a) => (a.lastBeatAt ?? 0) > 0);
    await world.untilAgent(
      'toucher',
      'and heard again',
      (a) => (a.lastBeatAt ?? 0) > (agent.lastBeatAt ?? 0),
    );
    utimesSync(world.path('data/runs/toucher/heartbeat'), 1, 1);
    await endRun(run);
  });

  it('a call is a beat, with the token that it was given', async () => {
    const call = `fetch(process.env.HOLTER_URL + '/v1/agents/' + process.env.HOLTER_AGENT_ID + '/heartbeat', {
      method: 'POST', body: '{"tokenCount": 900}',
      headers: { 'content-type': 'application/json', authorization: 'Bearer ' + process.env.HOLTER_TOKEN },
    }).then((reply) => console.log('answered', reply.status)); setInterval(() => undefined, 1000)`;
    const run = world.run(
      '--agent',
      'caller',
      '--heartbeat',
      'http',
      '--limit-tokens',
      '500',
      '--',
      node,
      '-e',
      call,
    );
    await until('it is answered', () => run.out().includes('answered 200'));
    await until('its limit is noticed', () =>
      run.err().includes('used 900 tokens, more than --limit-tokens'),
    );
    await world.untilAgent('caller', 'the limit is found', ({ findings }) =>
      findings.some(({ kind }) => kind === 'limit-exceeded'),
    );
    await endRun(run);
  });
});

describe('acts', () => {
  it('a nudge lies in a file, and is seen when it was taken out', async () => {
    const run = world.run('--agent', 'nudged', '--', node, fixture('quiet'));
    await pidOf(run);
    await world.ask('POST', '/v1/agents/nudged/nudge', { reason: 'how is it going?' });
    const files = (): string => {
      const out = world.nudgeFile('nudged');
      return out === null ? '' : readFileSync(out, 'utf8');
    };
    const line = await until('it is written', () => files() || null);
    expect(JSON.parse(line)).toMatchObject({ message: 'Holter: how is it going?' });
    writeFileSync(world.nudgeFile('nudged') ?? '', '');
    await until('it counts as seen', async () =>
      (await world.receipts('nudged')).some(({ outcome }) => outcome === 'seen'),
    );
    await endRun(run);
  });

  it('nudges that nobody has read wait in the file, the newest alone, and none counts as sent', async () => {
    const run = world.run('--agent', 'unread', '--', node, fixture('quiet'));
    await pidOf(run);
    for (const reason of ['look up', 'look again']) {
      const { code, out } = await world.holter('nudge', 'unread', '--reason', reason);
      expect(code).toBe(0);
      expect(out).toMatch(/unread has not read the nudge yet: it waits in \S+\.nudges until it is read/);
    }
    const file = world.nudgeFile('unread') ?? '';
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ message: 'Holter: look again' });
    const { incident } = await world.agent('unread');
    expect(incident?.nudges).toEqual({ decided: 2, delivered: 0, newest: 'offered' });
    expect(await world.events('unread')).not.toContain('NUDGE_SENT');
    expect((await world.holter('why', 'unread')).out).toContain(
      'Nudges: 2 nudges, the last one not read yet.',
    );
    writeFileSync(file, '');
    await world.untilAgent('unread', 'it is read', (agent) => agent.incident?.nudges?.newest === 'seen');
    expect((await world.events('unread')).filter((type) => type === 'NUDGE_SENT')).toHaveLength(1);
    await endRun(run);
  });

  it('that a handoff could not be asked for is said at once', async () => {
    const script = 'rm -f "$HOLTER_NUDGE_FILE"; mkdir "$HOLTER_NUDGE_FILE"; echo "pid $$"; sleep 1000 & wait';
    const run = world.run('--agent', 'wordless', '--mode', 'act', '--', 'sh', '-c', script);
    await pidOf(run);
    const { code, err } = await world.holter('decide', 'wordless', 'force_handoff', '--reason', 'enough');
    expect(err).toContain('wordless could not be asked for a handoff note: its nudge file is a directory');
    expect(code).toBe(1);
    await endRun(run);
  });

  it('one that ignores SIGTERM is ended within its time, with a grandchild of its own session', async () => {
    const script = `setsid sleep 1000 & echo "pid $!"; exec ${node} ${fixture('quiet')} deaf`;
    const run = world.run('--agent', 'deaf', '--json', '--', 'sh', '-c', script);
    await until('both run', () => pidsSaid(run.out())[1]);
    const pids = pidsSaid(run.out());
    await world.ask('POST', '/v1/agents/deaf/terminate', { reason: 'enough' });
    expect(await run.ended).toBe(137);
    expect(run.err()).toContain('deaf is being stopped: ordered by');
    expect(run.report()).toMatchObject({ how: 'terminated', needsPerson: false });
    expect(pids.map(isThere)).toEqual([false, false]);
    expect(await world.agent('deaf')).toMatchObject({ state: 'TERMINATED', end: { byHolter: true } });
  });

  it('a limit in mode act ends it: the option is the decision, made in advance', async () => {
    const time = world.run(
      '--agent',
      'long',
      '--mode',
      'act',
      '--limit-runtime',
      '1s',
      '--',
      node,
      fixture('quiet'),
    );
    expect(await time.ended).toBe(130);
    expect(time.err()).toContain('more than --limit-runtime 1 s');
    const eats = 'const kept = []; setInterval(() => kept.push(Buffer.alloc(3e7, 1)), 50)';
    const room = world.run(
      '--agent',
      'wide',
      '--mode',
      'act',
      '--limit-memory',
      '300MB',
      '--',
      node,
      '-e',
      eats,
    );
    expect(await room.ended).toBe(130);
    expect(room.err()).toContain('more than --limit-memory 300 MB');
    expect((await world.agent('wide')).incident).toBeNull();
  });
});

it('a session that has finished and does not exit is told from one that works', async () => {
  const claude = join(dirname(fixture('quiet')), 'claude');
  const run = world.run('--agent', 'lingering', '--', claude, '-p', 'do it');
  await until('it is reported', () => run.err().includes('its process does not end'), 25_000);
  const agent = await world.untilAgent('lingering', 'it is on record', ({ findings }) => findings.length > 0);
  expect(agent).toMatchObject({ state: 'DEGRADED', incident: null });
  expect(agent.findings).toMatchObject([{ kind: 'not-exiting', severity: 'warn' }]);
  run.child.kill('SIGTERM');
  await run.ended;
});

it('a healthy command stays healthy where health is checked more often than the run looks by itself', async () => {
  // The configuration checks every second; without `--look-every` a run looks every 5 s until it is told otherwise.
  const ran = await world.holter('run', '--agent', 'calm', '--agent-kind', 'command', '--', 'sleep', '8');
  expect(ran).toMatchObject({ code: 0, err: '' });
  const { events } = await world.ask<{ events: { payload: { to: string } }[] }>(
    'GET',
    '/v1/events?agentId=calm&type=HEALTH_STATE_CHANGED,LIVENESS_CHANGED&limit=100',
  );
  expect(events.map(({ payload }) => payload.to)).toEqual(['gone', 'TERMINATED']);
});
