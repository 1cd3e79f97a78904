import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { instant, type LinkLook, memberLink } from '@holter/core';
import { realClock, wallNow } from '@holter/server/process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBootStatus } from '../../packages/holter/src/boot/status-file.ts';
import { townLines } from '../../packages/holter/src/boot/town-lines.ts';
import { clientOf } from '../../packages/holter/src/client/ask.ts';
import { findServer } from '../../packages/holter/src/client/connection.ts';
import { deaconHand } from '../../packages/holter/src/daemon/deacon-hand.ts';
import { lifecycleLetters } from '../../packages/holter/src/daemon/lifecycle-letters.ts';
import { memberHand } from '../../packages/holter/src/daemon/member-hand.ts';
import { restartDeacon, startDeacon } from '../../packages/holter/src/deacon/act.ts';
import { type Chain, selfIn } from '../../packages/holter/src/deacon/context.ts';
import { lookAtDeacon } from '../../packages/holter/src/deacon/look.ts';
import { isThere, until } from '../run/kit.ts';
import { TestTown } from './kit.ts';

/** `npm test` has found or installed tmux; a test that is run alone expects it in the path. */
const hasTmux = process.env.HOLTER_TMUX !== '';

const town = new TestTown('town', "{ gt-alpha-witness: { command: [sleep, '1000'], group: alpha } }");
const { world, socket, path: townPath } = town;
const MINUTE = 60_000;
/** As long as several lines of a pane. */
const SECRET = `ghp_${'0123456789abcdefghijABCDEFGHIJ456789'.repeat(6)}`;

const tmux = town.tmux.bind(town);
const io = town.io.bind(town);
const later = town.later.bind(town);
const chainOf = town.chain.bind(town);
const chainMail = town.mail.bind(town);
const triage = town.triage.bind(town);
const boxOf = town.box.bind(town);

/** The orchestrator of its group asks for it; the daemon is told of the very process that was registered. */
async function orderedByLetter(look: LinkLook): Promise<void> {
  const name = memberLink('gt-alpha-witness');
  const [client, mail] = [clientOf(findServer(io(), {}, 'operator')), chainMail()];
  await client.register({ agentId: 'daemon', instanceId: 'd', mode: 'observe' });
  const { out: token } = await world.holter('token', 'create', '--role', 'orchestrator', '--group', 'alpha');
  const orchestrator = clientOf({ ...findServer(io(), {}, 'operator'), token: token.trim() });
  const { incarnation } = await client.agent('gt-alpha-witness');
  const content = {
    type: 'lifecycle',
    message: 'new settings',
    action: 'restart',
    agent: 'gt-alpha-witness',
  };
  const letter = { to: 'daemon', subject: 'LIFECYCLE', content: { ...content, incarnation } } as const;
  const asked = async (seen: LinkLook) => {
    await orchestrator.sendLetter(letter);
    const context = { clock: realClock(), now: wallNow, mail };
    return lifecycleLetters(context, { deacon: seen, members: [[name, seen]] });
  };
  const by = 'orchestrator:alpha, by letter';
  const request = { action: 'restart', name, by, reason: 'new settings' };
  expect(await asked(look)).toMatchObject([{ ...request, process: look.process }]);
  // Its successor has not registered yet.
  const { pid, bootId } = JSON.parse(look.process ?? '');
  const { startedAt } = selfIn((await chainOf()).table);
  const next = JSON.stringify({ pid, bootId, startedAt: `${Number(startedAt) + 1_000_000}` });
  expect(await asked({ ...look, process: next })).toMatchObject([{ ...request, process: 'another run' }]);
  expect(await asked({ ...look, state: 'gone' })).toMatchObject([{ ...request, process: null }]);
}

const heartbeatFile = join(townPath, 'deacon', 'heartbeat.json');
type Heartbeat = {
  readonly timestamp: string;
  readonly cycle: number;
  readonly incarnation: string;
  readonly healthy_agents: number | null;
};
const heartbeat = (): Heartbeat => JSON.parse(readFileSync(heartbeatFile, 'utf8'));
const runOf = async (chain: Chain) => (await lookAtDeacon(chain)).run;
const pidOf = async (chain: Chain): Promise<number> => {
  const pid = (await runOf(chain))?.process.pid;
  if (pid === undefined) throw new Error('no Deacon runs');
  return pid;
};

/** Until the Deacon that runs has written a heartbeat of its own. */
async function untilBeating(chain: Chain): Promise<string> {
  return until('the Deacon has written its heartbeat', async () => {
    const incarnation = (await runOf(chain))?.incarnation;
    return existsSync(heartbeatFile) && heartbeat().incarnation === incarnation ? incarnation : null;
  });
}

describe.runIf(hasTmux)('the Deacon of a town', () => {
  let chain: Chain;

  beforeAll(async () => {
    expect((await world.holter('up', '--detach')).code).toBe(0);
    expect((await world.holter('town', 'init', townPath)).code).toBe(0);
    // Its own cycles must not change what the injected times mean.
    const file = join(townPath, 'town.json');
    const settings = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...settings, cycle_every: '1d' }));
    chain = await chainOf();
  });

  afterAll(async () => {
    const pid = chain && (await runOf(chain))?.process.pid;
    if (pid) process.kill(pid, 'SIGKILL');
    await town.close('hq-deacon');
  });

  it('is started if its session is dead, by the daemon or with --act', async () => {
    expect(await triage(chain, false)).toMatchObject({ action: 'START', result: 'left to the daemon' });
    const held = await triage(chain, true, true);
    expect(held).toMatchObject({ action: 'START', result: expect.stringContaining('acts are stopped') });
    expect((await lookAtDeacon(chain)).session).toBe('dead');
    expect(await triage(chain)).toMatchObject({ action: 'START', target: 'hq-deacon' });
    await untilBeating(chain);
    expect(tmux('list-sessions', '-F', '#{session_name}')).toBe('hq-deacon');
  });

  it('is left alone while its heartbeat is fresh, and no process of Boot stays', async () => {
    const { code, out } = await world.holter('boot', 'triage', '--town', townPath, '--json');
    expect({ code, action: JSON.parse(out).action }).toEqual({ code: 0, action: 'NOTHING' });
    const boot = join(townPath, 'deacon', 'dogs', 'boot');
    expect(existsSync(join(boot, '.boot-running'))).toBe(false);
    const status = JSON.parse(readFileSync(join(boot, '.boot-status.json'), 'utf8'));
    expect(Object.keys(status)).toEqual(
      expect.arrayContaining(['action', 'reason', 'at', 'target', 'result', 'incarnation']),
    );
    expect(isThere(Number(status.incarnation.split('.')[0]))).toBe(false);
  });

  it('is never looked after from within its own session', async () => {
    const wrong = await world.holter('boot', 'triage', '--town', townPath, '--session=hq-deacon');
    expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('does not run in hq-deacon') });
  });

  it('is left alone while its heartbeat is torn or dated in the future', async () => {
    const pid = await pidOf(chain);
    const whole = readFileSync(heartbeatFile, 'utf8');
    writeFileSync(heartbeatFile, whole.slice(0, 30));
    expect(await triage(chain)).toMatchObject({ action: 'NOTHING' });
    const future = { ...JSON.parse(whole), timestamp: new Date(chain.now() + MINUTE).toISOString() };
    writeFileSync(heartbeatFile, JSON.stringify(future));
    expect(await triage(chain)).toMatchObject({ action: 'NOTHING' });
    writeFileSync(heartbeatFile, whole);
    expect(await pidOf(chain)).toBe(pid);
  });

  it('is started at the next triage after it was killed', async () => {
    const pid = await pidOf(chain);
    process.kill(pid, 'SIGKILL');
    // A tmux server ends with its last session, also in the middle of a look.
    const isDead = () =>
      lookAtDeacon(chain).then(
        ({ session }) => session === 'dead',
        () => false,
      );
    await until('its session has ended', isDead);
    expect(await triage(chain)).toMatchObject({ action: 'START' });
    expect(await pidOf(chain)).not.toBe(pid);
    await untilBeating(chain);
  });

  it('replaces exactly its zombie session', async () => {
    tmux('set-option', '-t', '=hq-deacon:', 'remain-on-exit', 'on');
    tmux('new-session', '-d', '-s', 'hq-deacon-notes', 'sleep', '1000');
    const before = tmux('display-message', '-p', '-t', '=hq-deacon:', '#{session_id}');
    process.kill(await pidOf(chain), 'SIGKILL');
    await until('its pane is dead', async () => (await lookAtDeacon(chain)).zombie !== null);
    // It has crashed for the second time.
    expect(await triage(chain)).toMatchObject({
      action: 'START',
      result: expect.stringContaining('it may be started again in'),
    });
    later(MINUTE);
    expect(await triage(chain)).toMatchObject({ action: 'START' });
    await untilBeating(chain);
    const names = tmux('list-sessions', '-F', '#{session_name} #{session_id}').split('\n');
    expect(names).toHaveLength(2);
    expect(names.some((line) => line === `hq-deacon ${before}`)).toBe(false);
    tmux('kill-session', '-t', '=hq-deacon-notes');
  });

  /** tmux lets the command of a pane go on when it is stopped, but not what that has started. */
  const patrolOf = async (): Promise<number> => {
    const [pid] = chain.table.childPids(await pidOf(chain));
    if (pid === undefined) throw new Error('nothing runs below the command of the pane');
    return pid;
  };

  it('stale with mail: it is nudged through its mailbox, and that begins a cycle', async () => {
    const hand = deaconHand(chain);
    const seen = await hand.look(null);
    expect((await world.holter('session', 'kill', 'hq-deacon', '--town', townPath)).code).toBe(0);
    expect(await hand.look(seen)).toMatchObject({ state: 'ended' });
    chain = { ...chain, command: ['sh', '-c', '"$@"; true', 'sh', ...chain.command] };
    // This end is no crash; those before it still count.
    later(MINUTE);
    expect(await triage(chain)).toMatchObject({ action: 'START' });
    await untilBeating(chain);
    // Its cycle is over, or it would read the letters in the same.
    const { cycle } = await until('its cycle is done', () =>
      heartbeat().healthy_agents === null ? null : heartbeat(),
    );
    later(6 * MINUTE);
    expect(await triage(chain)).toMatchObject({
      action: 'NOTHING',
      reason: expect.stringContaining('no mail'),
    });
    // Stopped, so that it can not read the letter before Boot looks.
    const pid = await patrolOf();
    process.kill(pid, 'SIGSTOP');
    const sent = await world.holter('mail', 'send', 'hq-deacon', '-s', 'Question', '-m', 'Are you there?');
    expect(sent.code).toBe(0);
    expect(await triage(chain)).toMatchObject({ action: 'NUDGE', result: 'sent to its mailbox' });
    expect(await boxOf('deacon')).toContainEqual(
      expect.objectContaining({ from: 'boot', subject: 'Boot check-in: pending work' }),
    );
    process.kill(pid, 'SIGCONT');
    await until('it begins a cycle', () => heartbeat().cycle > cycle);
    // A program can not answer a question: a person can.
    await until('the letter is passed on', async () =>
      (await boxOf('overseer')).some(({ subject }) => subject.includes('Question')),
    );
  });

  it('very stale: it is woken twice, and restarted only with evidence from its process', async () => {
    const incarnation = await untilBeating(chain);
    const pid = await patrolOf();
    process.kill(pid, 'SIGSTOP');
    later(20 * MINUTE);
    const client = clientOf(findServer(io(), {}, 'operator'));
    const { incarnation: start } = await client.agent('deacon');
    const about = { hold: 'rate-limited', incarnation: start } as const;
    await client.signal('deacon', { kind: 'hold-begun', ...about, until: chain.now() + 10 * MINUTE });
    expect(await triage(chain)).toMatchObject({
      action: 'NOTHING',
      reason: expect.stringContaining('it has reached its usage limit, which resets in'),
    });
    await client.signal('deacon', { kind: 'hold-ended', ...about });
    for (const _ of [1, 2]) {
      expect(await triage(chain)).toMatchObject({ action: 'WAKE', result: 'sent to its mailbox' });
      later(3 * MINUTE);
    }
    expect(await triage(chain, false)).toMatchObject({
      action: 'RESTART',
      reason: expect.stringContaining('woken 2 times without effect; its process is idle'),
    });
    const status = await readBootStatus(chain.town, chain.now);
    const decidedBy = status?.memory ? { ...status.memory, at: status.at } : null;
    later(3 * MINUTE);
    expect(await startDeacon(chain)).toMatchObject({ outcome: 'left alone' });
    // Or it has begun to work, and has written no heartbeat yet.
    const lessThan = decidedBy && { ...decidedBy, cpuMs: (decidedBy.cpuMs ?? 0) - 10_000 };
    expect(await restartDeacon(chain, incarnation, lessThan)).toEqual({
      outcome: 'left alone',
      detail: 'its process is at work again',
    });
    expect(isThere(pid)).toBe(true);
    expect(await restartDeacon(chain, incarnation, decidedBy)).toMatchObject({ outcome: 'done' });
    expect(isThere(pid)).toBe(false);
    // Who decided the same about the one before finds its successor, which is as silent as that one was.
    const successor = await pidOf(chain);
    const stopped = await patrolOf();
    process.kill(stopped, 'SIGSTOP');
    const same = decidedBy && { ...decidedBy, at: chain.now() - 3 * MINUTE };
    expect(await restartDeacon(chain, incarnation, same)).toEqual({
      outcome: 'left alone',
      detail: 'another one runs now',
    });
    expect(await pidOf(chain)).toBe(successor);
    process.kill(stopped, 'SIGCONT');
    town.laterMs = 0;
    await untilBeating(chain);
  });

  it('is not restarted after it was heard again', async () => {
    const incarnation = await untilBeating(chain);
    expect(await restartDeacon(chain, incarnation, null)).toMatchObject({ outcome: 'left alone' });
  });

  it('counts agents in health-check-state.json; only it writes its own heartbeat', async () => {
    const { timestamp } = await until('its cycle is done', () =>
      heartbeat().healthy_agents === null ? null : heartbeat(),
    );
    const { code, out } = await world.holter('deacon', 'health-check', '--town', townPath);
    expect({ code, out }).toEqual({ code: 0, out: '0 healthy, 0 unhealthy\n' });
    expect(existsSync(join(townPath, 'deacon', 'health-check-state.json'))).toBe(true);
    expect(heartbeat().timestamp).toBe(timestamp);
  });

  it('hands over by a letter to the next run, and keeps a digest', async () => {
    const done = await world.holter(
      ...['handoff', '--town', townPath, '-s', 'Routine cycle', '-m', 'Two agents wait.'],
    );
    expect(done.code).toBe(0);
    const state = JSON.parse(readFileSync(join(townPath, 'deacon', 'state.json'), 'utf8'));
    expect(state).toMatchObject({ subject: 'Routine cycle', summary: 'Two agents wait.' });
    expect(readFileSync(join(townPath, 'deacon', 'digests.jsonl'), 'utf8')).toContain('Two agents wait.');
    const letters = await boxOf('deacon');
    expect(letters).toContainEqual(expect.objectContaining({ from: 'deacon', subject: 'Routine cycle' }));
  });

  it('holter session kill ends a session of the town, and no other without its socket', async () => {
    expect(await world.holter('session', 'kill', 'hq-deacon', '--town', townPath)).toMatchObject({
      code: 0,
      out: 'the session hq-deacon was ended\n',
    });
    expect((await lookAtDeacon(chain)).session).toBe('dead');
    tmux('new-session', '-d', '-s', 'hq-deacon', 'sh', '-c', `echo ${SECRET}; exec sleep 1000`);
    const kill = ['session', 'kill', 'hq-deacon', '--town', townPath];
    expect(await world.holter(...kill)).toMatchObject({
      code: 1,
      err: expect.stringContaining('was not started by the chain'),
    });
    await until('its pane shows it', () =>
      tmux('capture-pane', '-p', '-J', '-t', '=hq-deacon:').includes(SECRET),
    );
    expect((await world.holter(...kill, '--socket', socket)).code).toBe(0);
    const kept = readFileSync(join(townPath, 'deacon', 'last-session.txt'), 'utf8');
    expect(kept).toContain('[redacted]');
    expect(kept).not.toContain(SECRET);
  });

  it('no file of the town can say that another process is the Deacon', async () => {
    const { pid, startedAt, bootId } = selfIn(chain.table);
    const at = new Date(wallNow()).toISOString();
    const forged = { at, pid, started_at: startedAt, boot_id: bootId, incarnation: 'x' };
    writeFileSync(join(townPath, 'deacon', 'process.json'), JSON.stringify(forged));
    expect(await lookAtDeacon(chain)).toMatchObject({ session: 'dead', run: null });
  });

  it('an agent of the town is started as a member of its group, replaced when only a shell is left, and ended by order', async () => {
    const hand = memberHand(chain, 'gt-alpha-witness');
    expect(await hand.look(null)).toMatchObject({ state: 'gone' });
    const notBefore = instant(1);
    const atLimit = memberHand(chain, 'gt-alpha-witness', async () => ({ notBefore }));
    expect(await atLimit.look(null)).toMatchObject({ state: 'ended', notBefore });
    // Somebody has left a shell in a session of the town.
    await chain.sessions.start({ name: 'gt-alpha-witness', folder: townPath, command: ['sh'], env: {} });
    await until('only a shell is left', async () => (await hand.look(null)).state === 'gone');
    await hand.start();
    const agent = await until('it is registered', async () => {
      const { out } = await world.holter('status', '--json', '--group', 'alpha');
      return out.includes('gt-alpha-witness') ? out : null;
    });
    expect(agent).toContain('"group":"alpha"');
    const { process: run, state } = await hand.look(null);
    expect(state).toBe('running');
    await orderedByLetter(await hand.look(null));
    expect(await hand.stop(run ?? '', false)).toBe('only an order ends it');
    const another = JSON.stringify({ ...JSON.parse(run ?? ''), startedAt: '1' });
    expect(await hand.stop(another, true)).toContain('left alone');
    expect(await hand.stop(run ?? '', true)).toBeNull();
    expect(await hand.look(null)).toMatchObject({ state: 'gone' });
  });

  it('a request is refused where no daemon would carry it out, or for somebody unknown', async () => {
    const restart = (name: string) => world.holter('town', 'restart', name, '--town', townPath);
    expect(await restart('gt-beta')).toMatchObject({
      code: 1,
      err: expect.stringContaining('gt-alpha-witness'),
    });
    expect(await restart('deacon')).toMatchObject({
      code: 1,
      err: expect.stringContaining('no daemon runs'),
    });
  });

  it('without tmux it is started as a process of its own, and found by its process', async () => {
    const path = town.pathWithoutTmux();
    const degraded = await chainOf({ ...world.env, PATH: path });
    const started = await triage(degraded);
    expect(started.result).toContain('without tmux');
    const view = await lookAtDeacon(degraded);
    expect(view).toMatchObject({ session: 'alive', isDegraded: true });
    await untilBeating(degraded);
    expect(await triage(degraded)).toMatchObject({ action: 'NOTHING' });
    const lines = await townLines(degraded.town, { PATH: path }, findServer(io(), {}, 'operator'));
    expect(lines.join('\n')).toMatch(
      /^town .*: Boot .*: NOTHING hq-deacon.*\ndegraded: tmux is not installed/,
    );
    // Whoever has tmux sees the same Deacon, and starts no second one.
    expect(await startDeacon(chain)).toMatchObject({ outcome: 'left alone' });
  });
});
