import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  bin,
  cleanEnvironment,
  type HolterProcess,
  type Ran,
  runHolter,
  startHolter,
} from './holter-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'holter-cli-'));
let server: HolterProcess;

const holter = (args: readonly string[], more: Record<string, string> = {}, home = folder): Promise<Ran> =>
  runHolter(home, args, more);

const policy = `
health_monitoring:
  health_check: { checkpoint_stale_threshold_seconds: 2 }
  intervention: { nudge: { max_attempts: 1, interval_seconds: 1 } }
rules: { checkpoint_warn: 1s, settle: 0 }
`;

async function call(path: string, token: string, body: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Record<string, unknown>;
}

const register = (agentId: string, promises: object, taskId?: string) =>
  call('/v1/agents', server.token('enroll'), {
    agentId,
    instanceId: '1',
    promises,
    ...(taskId && { taskId }),
  });

async function eventually<T>(look: () => Promise<T>, isIt: (seen: T) => boolean): Promise<T> {
  const giveUpAt = Date.now() + 15_000;
  for (;;) {
    const seen = await look();
    if (isIt(seen)) return seen;
    if (Date.now() > giveUpAt) throw new Error(`never seen; last: ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

beforeAll(async () => {
  writeFileSync(join(folder, 'policy.yaml'), policy);
  server = await startHolter(folder, ['--port', '0', '--config', join(folder, 'policy.yaml')]);
}, 30_000);

afterAll(async () => {
  await server?.end('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

describe('the command line against a real server', { timeout: 60_000 }, () => {
  it('keeps its folder and tokens to its owner', () => {
    expect(statSync(join(folder, 'data')).mode & 0o777).toBe(0o700);
    for (const role of ['operator', 'enroll', 'viewer'])
      expect(statSync(join(folder, 'data', `${role}.token`)).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'data', 'server.json')).mode & 0o777).toBe(0o600);
  });

  it('says in one line that the folder or the port is taken, or that the address is open', async () => {
    const second = await holter(['up', '--port', '0']);
    expect(second.code).toBe(1);
    expect(second.err).toMatch(/already runs on .*http:\/\/127\.0\.0\.1:\d+, pid \d+/);
    const other = mkdtempSync(join(tmpdir(), 'holter-other-'));
    const taken = await holter(['up', '--port', String(server.port), '--log-level', 'silent'], {}, other);
    expect(taken.code).toBe(1);
    expect(taken.err).toBe(
      `holter: port ${server.port} on 127.0.0.1 is taken by another program\n  next: stop that program, or choose another port: holter up --port ${server.port + 1}\n`,
    );
    expect(existsSync(join(other, 'data', 'server.json'))).toBe(false);
    const demo = ['up', '--demo', '--port', String(server.port), '--log-level', 'silent'];
    // The second demo in a folder begins anew, like the first.
    for (const from of [{}, { npm_lifecycle_event: 'demo' }]) {
      const played = await holter(demo, from, other);
      const command = 'npm_lifecycle_event' in from ? 'npm run demo --' : 'holter up --demo';
      expect(played.err).toMatch(
        new RegExp(`taken by another program\\n.* ${command} --port ${server.port + 1}\\n$`),
      );
    }
    const open = await holter(['up', '--host', '0.0.0.0', '--port', '0'], {}, other);
    expect(open.code).toBe(1);
    expect(open.err).toMatch(/without TLS[\s\S]*--tls-cert[\s\S]*--insecure-because/);
    const postgres = await holter(['up', '--database', 'postgres://me:secret@127.0.0.1:1/x'], {}, other);
    expect(postgres.code).toBe(1);
    expect(postgres.err).toMatch(/^holter: the database 127\.0\.0\.1:1\/x can't be used \(unreachable\)/);
    expect(postgres.err).not.toContain('secret');
    const mysql = await holter(['up', '--database', 'mysql://me:secret@db/holter'], {}, other);
    expect(mysql.code).toBe(1);
    expect(mysql.err).toMatch(/must be sqlite, or an address such as postgres:/);
    expect(mysql.err).not.toContain('secret');
    rmSync(other, { recursive: true, force: true });
  });

  it('says what is wrong with a folder or a database that can not be used', async () => {
    const other = mkdtempSync(join(tmpdir(), 'holter-bad-'));
    writeFileSync(join(other, 'file'), '');
    const noFolder = await holter(['up', '--port', '0', '--data', join(other, 'file')], {}, other);
    expect(noFolder.code).toBe(1);
    expect(noFolder.err).toMatch(/^holter: the data folder .* can't be used: [\s\S]*next: choose a folder/);
    mkdirSync(join(other, 'data'));
    writeFileSync(join(other, 'data', 'holter.db'), 'this is no database, '.repeat(1_000));
    const corrupt = await holter(['up', '--port', '0', '--log-level', 'silent'], {}, other);
    expect(corrupt.code).toBe(1);
    expect(corrupt.err).toMatch(
      /^holter: the database .* can't be used \(corrupt\): [\s\S]*next: restore the newest backup .* --accept-restored/,
    );
    const checked = await holter(['db', 'check'], {}, other);
    expect(checked.code).toBe(3);
    expect(checked.err).toMatch(/corrupt/);
    rmSync(other, { recursive: true, force: true });
  });

  it('shows and stores no secret of calls, outputs and hooks', async () => {
    // In parts, so that no scanner takes this file for a leak.
    const secrets = [
      ['Zm9vYmFyYmF6', 'cXV4cXV1eDEyMzQ1Njc4'],
      ['s3cr3t-Pa', 'ssw0rd-of-bob'],
      ['sk-ant-api03-', 'Qm9iQm9iQm9iQm9iQm9iQm9iQm9iQm9i'],
      ['AKIA', 'J7QX2MZ4NR5TBW6Y'],
    ].map((parts) => parts.join(''));
    const [bearer, password, key, id] = secrets;
    const command = `curl -H 'Authorization: Bearer ${bearer}' https://bob:${password}@example.org/?key=${key} # ${id}`;
    const { token } = (await register('leaky', { calls: true })) as { token: string };
    const session = { session_id: 'aaaaaaaa-1111-4222-8333-444444444444', cwd: '/leak' };
    const hook = (event: string, fields: object) =>
      call('/hooks/claude-code', server.token('enroll'), { ...session, hook_event_name: event, ...fields });
    for (let n = 0; n < 7; n += 1) {
      const what = { callId: `c${n}`, tool: 'Bash', input: { command } };
      await call('/v1/agents/leaky/signals', token, { kind: 'call-begun', ...what });
      const ended = { kind: 'call-ended', ...what, output: `401 ${command}`, isError: true };
      await call('/v1/agents/leaky/signals', token, ended);
      const use = { tool_name: 'Bash', tool_input: { command }, tool_use_id: `t${n}` };
      await hook('PreToolUse', use);
      await hook('PostToolUseFailure', { ...use, error: `401 ${command}` });
    }
    await call('/v1/agents/leaky/signals', token, { kind: 'blocker', text: command });
    // A successor needs the exact content of a checkpoint: it is stored, and shown to operators and the agent only.
    const kept = ['ghp_', 'aZ3kQ9xLmN7bV2cR8tYwaZ3kQ9xLmN7bV2cR'].join('');
    await call('/v1/agents/leaky/checkpoints', token, { content: { env: `GITHUB_TOKEN=${kept}` } });
    const checkpointsFor = async (role: 'viewer' | 'operator') => {
      const headers = { authorization: `Bearer ${server.token(role)}` };
      return (await fetch(`${server.url}/v1/agents/leaky/checkpoints`, { headers })).text();
    };
    expect(await checkpointsFor('operator')).toContain(kept);
    expect(await checkpointsFor('viewer')).toContain('GITHUB_TOKEN=[redacted]');
    const why = await eventually(
      () => holter(['why', 'claude.leak.aaaaaaaa']),
      ({ out }) => out.includes('repeated'),
    );
    await hook('SessionEnd', { reason: command });
    const shown = await Promise.all(
      ['leaky', 'claude.leak.aaaaaaaa'].flatMap((agentId) => [
        holter(['why', agentId]),
        holter(['show', agentId, '--json']),
        holter(['events', '--agent', agentId, '--json']),
      ]),
    );
    const incidents = await fetch(`${server.url}/v1/incidents`, {
      headers: { authorization: `Bearer ${server.token('operator')}` },
    });
    const stored = ['holter.db', 'holter.db-wal', 'server.log'].map((name) => join(folder, 'data', name));
    const places = [
      ...[why, ...shown].map(({ out, err }) => out + err),
      await incidents.text(),
      ...stored.filter(existsSync).map((file) => readFileSync(file, 'latin1')),
    ];
    expect(places[0]).toContain('curl');
    expect(places.filter((text) => secrets.some((secret) => text.includes(secret)))).toEqual([]);
    const logs = [
      ...shown.map(({ out, err }) => out + err),
      readFileSync(join(folder, 'data', 'server.log'), 'utf8'),
    ];
    expect(logs.filter((text) => text.includes(kept))).toEqual([]);
    await call('/v1/agents/leaky/signals', token, { kind: 'stopped', reason: 'done' });
    const final = await holter(['show', 'leaky', '--final']);
    expect(final.out).toMatch(/^1st start, at .*: was stopped at .*: done$/m);
  });

  it('tells a healthy fleet by 0 and a stuck agent by 3, and why', async () => {
    await register('ada', { beatEverySeconds: 60 });
    const fine = await holter(['status']);
    expect(fine).toMatchObject({ code: 0, err: '' });
    expect(fine.out).toMatch(/^ada +HEALTHY/m);
    for (const filter of [['zoe'], ['--state', 'stuck'], ['--group', 'none']])
      expect((await holter(['status', ...filter])).out).toBe('No agents match.\n');

    await register('bob', { beatEverySeconds: 60, tasks: true, checkpoints: true }, 'T-1');
    const show = await eventually(
      () => holter(['show', 'bob']),
      ({ out }) => out.includes('ESCALATION_TRIGGERED'),
    );
    expect(show.out).toMatch(/incident +bob\/1, checkpoint-stale/);
    const stuck = await holter(['status', '--json']);
    expect(stuck.code).toBe(3);
    expect(JSON.parse(stuck.out)).toMatchObject({ ok: false, counts: { HEALTHY: 1, STUCK: 1 } });
    const why = await holter(['why', 'bob']);
    const lines = why.out.trimEnd().split('\n');
    expect(lines).toHaveLength(5);
    expect(lines[4]).toBe('Nudges: 1 nudge, not read yet.');
    expect(show.out).toMatch(/nudges +1 nudge, not read yet/);
    expect(why.out).toMatch(/^Ready: .*; no valid checkpoint\.$/m);
    expect(why.out).toMatch(
      /^bob has been STUCK for \d+ m?s[\s\S]*Why: no checkpoint for[\s\S]*Next: .*holter decide bob/,
    );
  });

  it('holds a breaker open and closes it again, for all callers', async () => {
    const none = await holter(['breaker', 'list', 'ada']);
    expect(none).toMatchObject({ code: 0, out: 'ada has used no breaker yet.\n' });
    const why = ['--reason', 'they are down', '--by', 'ines'];
    const held = await holter(['breaker', 'isolate', 'ada', 'external_api', '--minutes', '5', ...why]);
    expect(held, held.err).toMatchObject({ code: 0 });
    expect(held.out).toMatch(/^ada {2}external_api OPEN, held open by ines: they are down, next try /);
    const path = '/v1/agents/ada/breakers/external_api/acquire';
    const asked = await call(path, server.token('operator'), {});
    expect(asked.answers).toEqual([expect.objectContaining({ kind: 'refused', because: 'isolated' })]);
    expect((await holter(['breaker', 'list'])).out).toContain('ada  external_api OPEN');
    const closed = await holter([
      'breaker',
      'reset',
      'ada',
      'external_api',
      '--reason',
      'back',
      '--by',
      'ines',
      '--json',
    ]);
    expect(JSON.parse(closed.out)).toMatchObject({ breaker: { state: 'CLOSED', isolation: null } });
    expect(await holter(['breaker', 'list'])).toMatchObject({ code: 0, out: 'All breakers are closed.\n' });
    const unknown = await holter(['breaker', 'reset', 'nobody', 'external_api', '--reason', 'back']);
    expect(unknown.code).toBe(1);
    expect(unknown.err).toMatch(/no agent with the id \S+/);
  });

  it('says what was meant where a name can only be a slip, with exit code 2', async () => {
    const reset = await holter(['breaker', 'reset', 'ada', 'external_ap', '--reason', 'back']);
    expect(reset).toMatchObject({ code: 2, out: '' });
    expect(reset.err).toContain('no breaker of this name; did you mean external_api?');
    const types = await holter(['events', '--type', 'NUDGE_SEND']);
    expect(types).toMatchObject({ code: 2, out: '' });
    expect(types.err).toContain('did you mean NUDGE_SENT?');
    const long = await holter(['nudge', 'ada', '--reason', 'x'.repeat(5_000)]);
    expect(long.code).toBe(2);
    expect(long.err).toMatch(/^holter: reason must have at most \d+ characters\n/);
  });

  it('reports the configuration of the running server, not of this terminal', async () => {
    const shown = await holter(['config', 'show', '--changed']);
    expect(shown.out).toMatch(/checkpoint_stale_threshold_seconds +2 .*policy\.yaml:3/);
    expect((await holter(['doctor'])).out).toMatch(
      /ok +configuration +\S+policy\.yaml, read by the running server/,
    );
    writeFileSync(join(folder, 'other.yaml'), 'rules: { settle: 7s }\n');
    const file = await holter(['config', 'show', '--changed', '--config', 'other.yaml']);
    expect(file.out).toMatch(/settle/);
    expect(file.out).not.toMatch(/checkpoint_stale/);
  });

  it('HOLTER_TOKEN is for the server that is named, and not for the one of the data folder', async () => {
    expect(await holter(['status'], { HOLTER_TOKEN: 'hlt_of_another_server' })).toMatchObject({ err: '' });
    const wrong = { HOLTER_TOKEN: 'hlt_wrong', HOLTER_URL: server.url };
    const named = await holter(['status'], wrong);
    expect(await holter(['status', '--tmux'], wrong)).toMatchObject({ code: 1, out: 'holter: no status\n' });
    expect(named.code).toBe(1);
    expect(named.err).toContain('the token is wrong');
  });

  it('lets an operator decide, with who and why on record', async () => {
    const decisions = [
      ['decide', 'bob', 'acknowledge', '--reason', 'seen'],
      ['snooze', 'bob', '--finding', 'checkpoint-stale', '--minutes', '5', '--reason', 'a big step'],
      ['wake', 'bob', '--finding', 'checkpoint-stale', '--reason', 'it is over'],
      ['decide', 'bob', 'allow_more_time', '--minutes', '5', '--reason', 'it is fine'],
      ['nudge', 'ada', '--message', 'look at the build', '--reason', 'red'],
      ['pause', 'ada', '--reason', 'lunch'],
      ['resume', 'ada', '--reason', 'back'],
      ['snooze', 'ada', '--minutes', '1', '--reason', 'long build'],
      ['wake', 'ada', '--reason', 'built'],
      ['snooze', 'ada', '--finding', 'unchanged-poll', '--reason', 'it waits for me'],
      ['wrong', 'bob', '--reason', 'mistaken'],
      ['task', 'update', 'bob', 'T-1', '--percent', '40'],
      ['task', 'end', 'bob', 'T-1'],
      ['task', 'assign', 'bob', 'T-2', '--expected-minutes', '5'],
    ];
    for (const decision of decisions) {
      const ran = await holter([...decision, ...(decision[0] === 'task' ? [] : ['--by', 'ines'])]);
      expect(ran, decision.join(' ')).toMatchObject({ code: 0, err: '' });
    }
    const trail = await holter(['events', '--type', 'DECISION_MADE', '--json']);
    const made = trail.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { payload: Record<string, string> });
    expect(made.map(({ payload }) => payload.decision)).toEqual(
      expect.arrayContaining([
        'acknowledge',
        'allow_more_time',
        'wake',
        'nudge',
        'pause',
        'resume',
        'dismiss',
      ]),
    );
    expect(made.every(({ payload }) => payload.by?.includes('ines') && payload.reason)).toBe(true);

    const refused = await holter(['terminate', 'ada', '--reason', 'x']);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.err).toMatch(/Holter has no way to stop it/);
    expect((await holter(['show', 'ada'])).out).toMatch(/snoozed +about unchanged-poll for \d+ min by ines/);
    const unknown = await holter(['snooze', 'ada', '--finding', 'bad-mood', '--reason', 'x']);
    expect(unknown.err).toMatch(/finding/);
    const early = await holter(['recover', 'ada', '--checkpoint', 'c-9', '--reason', 'x']);
    expect(early.err).toMatch(/not known to have ended/);
  });

  it('records the name that a token carries', async () => {
    const { out } = await holter(['token', 'create', '--name', 'alice']);
    const alice = { HOLTER_URL: server.url, HOLTER_TOKEN: out.trim(), USER: 'root' };
    await holter(['snooze', 'ada', '--minutes', '1', '--reason', 'her turn'], alice);
    const events = await holter(['events', '--agent', 'ada', '--type', 'DECISION_MADE', '--tail', '1']);
    expect(events.out).toContain('by=alice reason="her turn"');
    expect((await holter(['token', 'list'])).out).toMatch(/operator +alice/);
    expect((await holter(['token', 'create'])).code).toBe(2);
  });

  it('refuses operators’ commands in an agent’s terminal', async () => {
    const env = { HOLTER_AGENT_ID: 'ada' };
    for (const command of [
      ['nudge', 'bob', '--reason', 'x'],
      ['token', 'create', '--role', 'operator'],
      ['decide', 'bob', 'terminate', '--reason', 'x'],
    ]) {
      const ran = await holter(command, env);
      expect(ran.code).toBe(1);
      expect(ran.err).toMatch(/terminal of the agent ada/);
    }
    expect((await holter(['why', 'bob'], env)).code).toBe(0);
  });

  it('makes, lists and revokes tokens', async () => {
    const made = await holter(['token', 'create', '--role', 'viewer']);
    const token = made.out.trim();
    expect(token).toMatch(/^hlt_[\w-]{43}$/);
    const asViewer = { HOLTER_URL: server.url, HOLTER_TOKEN: token };
    expect((await holter(['why', 'ada'], asViewer)).code).toBe(0);
    const refused = await holter(['pause', 'ada', '--reason', 'x'], asViewer);
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(/next: use a token of a role that may do this/);
    const list = JSON.parse((await holter(['token', 'list', '--json'])).out) as {
      tokenId: string;
      role: string;
      createdAt: number;
    }[];
    expect(JSON.stringify(list)).not.toContain(token);
    const newest = list.filter(({ role }) => role === 'viewer').sort((a, b) => b.createdAt - a.createdAt)[0];
    expect((await holter(['token', 'revoke', newest?.tokenId ?? ''])).code).toBe(0);
    const after = await holter(['why', 'ada'], asViewer);
    expect(after.code).toBe(1);
    expect(after.err).toMatch(/next: the token is wrong or revoked/);
    expect((await holter(['token', 'create', '--role', 'agent'])).code).toBe(2);
  });

  it('makes the URL of a job and of its badge, and tells of a failed run', async () => {
    const made = await holter(['ping', 'create', '--name', 'backup', '--every', '1d', '--grace', '2h']);
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(made.out).toContain('backup: a run every 24 h, 2 h of grace');
    const [url = ''] = /http:\/\/\S+\/ping\/hlt_[\w-]+$/m.exec(made.out) ?? [];
    expect((await fetch(`${url}/3`, { method: 'POST', body: 'disk full' })).status).toBe(200);
    const why = await holter(['why', 'backup']);
    expect(why.out).toContain('its last run failed with exit code 3: disk full');
    const badge = await holter(['badge', 'create', 'backup', '--json']);
    const { url: picture } = JSON.parse(badge.out) as { url: string };
    expect(await (await fetch(picture)).text()).toContain('aria-label="backup: failing"');
    expect((await fetch(url)).status).toBe(200);
    expect((await holter(['ping', 'create', '--name', 'backup', '--every', 'daily'])).code).toBe(2);
    expect((await holter(['badge', 'create'])).code).toBe(2);
    const bad = await holter(['ping', 'create', '--name', 'a b', '--every', '1d']);
    expect(bad.err).toContain('an agent id has 1 to 128 of A-Z a-z 0-9 . _ @ : -');
  });

  it('shows the newest events, in the order in which they happened', async () => {
    const cursors = async (...options: string[]): Promise<number[]> => {
      const { out } = await holter(['events', '--json', ...options]);
      const lines = out.split('\n').filter((line) => line !== '');
      return lines.map((line) => (JSON.parse(line) as { cursor: number }).cursor);
    };
    // The agents of other tests may still cause events meanwhile.
    const before = await cursors('--tail', '5000');
    const newest = await cursors('--tail', '3');
    const all = await cursors('--tail', '5000');
    expect(before.length).toBeGreaterThan(10);
    expect(all).toEqual([...all].sort((a, b) => a - b));
    const place = all.indexOf(newest[0] ?? NaN);
    expect([newest.length, newest]).toEqual([3, all.slice(place, place + 3)]);
    expect(newest.at(-1)).toBeGreaterThanOrEqual(before.at(-1) ?? NaN);
    expect((await cursors('--after', String(all.at(-3)))).slice(0, 2)).toEqual(all.slice(-2));
    expect(await cursors('--tail', '0')).toEqual([]);
  });

  it('follows events, and stops on Ctrl-C', async () => {
    const child = spawn(process.execPath, [bin, 'events', '--follow', '--tail', '0', '--json'], {
      cwd: folder,
      env: cleanEnvironment(folder),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
    });
    let count = 0;
    await eventually(
      async () => {
        count += 1;
        await register(`follow-${count}`, {});
        return out;
      },
      (seen) => seen.includes('AGENT_REGISTERED'),
    );
    const gone = once(child, 'exit');
    child.kill('SIGINT');
    expect(await gone).toEqual([0, null]);
  });

  it('finds Holter well, and says what is not', async () => {
    // The clock of the machine that runs the tests may not be synchronised.
    const programs = join(folder, 'programs');
    mkdirSync(programs);
    writeFileSync(join(programs, 'timedatectl'), '#!/bin/sh\necho yes\n', { mode: 0o755 });
    const well = await holter(['doctor'], { PATH: `${programs}:${process.env.PATH}` });
    expect(well).toMatchObject({ code: 0 });
    expect(well.out).toMatch(/^ok +server/m);
    expect(well.out).toMatch(/^ok +clock +synchronised$/m);
    expect(well.out).toMatch(/^ok +outside ping +not set/m);
    expect(well.out).toMatch(/^ok +post office +ecos-chief-of-staff has /m);
    chmodSync(join(folder, 'data', 'viewer.token'), 0o644);
    const open = await holter(['doctor', '--json']);
    expect(open.code).toBe(3);
    expect(JSON.parse(open.out)).toMatchObject({ ok: false });
    chmodSync(join(folder, 'data', 'viewer.token'), 0o600);
    const none = await holter(['doctor'], { HOLTER_DATA: join(folder, 'nowhere') });
    expect(none.code).toBe(3);
    expect(none.out).toMatch(/wrong +server +no server is running/);
  });

  it('checks and shows the configuration', async () => {
    writeFileSync(join(folder, 'bad.yaml'), 'rules:\n  silence_warm: 4m\n');
    const bad = await holter(['config', 'check', 'bad.yaml']);
    expect(bad.code).toBe(1);
    expect(bad.err).toMatch(
      /bad\.yaml:2:3 {2}rules\.silence_warm is not a known key; did you mean silence_warn\?/,
    );
    expect((await holter(['config', 'check', 'policy.yaml'])).out).toMatch(/policy\.yaml: fine/);
    const shown = await holter(['config', 'show', '--config', 'policy.yaml', '--changed']);
    expect(shown.out).toMatch(/rules\.checkpoint_warn +1s +config \(.*policy\.yaml:5\)/);
  });

  it('reads its configuration again on SIGHUP, and keeps the old one when it is wrong', async () => {
    writeFileSync(join(folder, 'policy.yaml'), 'rules: { settle: soon }\n');
    process.kill(server.pid, 'SIGHUP');
    await eventually(
      async () => server.log(),
      (log) => log.includes('the old one stays in force'),
    );
    expect(server.log()).toMatch(/policy\.yaml:1:10 {2}rules\.settle must be/);
    writeFileSync(join(folder, 'policy.yaml'), policy);
    process.kill(server.pid, 'SIGHUP');
    await eventually(
      async () => server.log(),
      (log) => log.includes('configuration read again'),
    );
  });

  it('backs up and checks the database while the server runs', async () => {
    const target = join(folder, 'copy.db');
    expect(await holter(['db', 'backup', target])).toMatchObject({ code: 0, err: '' });
    expect(statSync(target).size).toBeGreaterThan(0);
    expect((await holter(['db', 'backup', target])).code).toBe(1);
    expect((await holter(['db', 'check'])).out).toBe('the database is sound\n');
  });

  it('keeps the tasks of agents, and takes over those that were edited in the files of seed 001', async () => {
    await register('tasker', {});
    const project = join(folder, 'project');
    const section = join(project, '.ecos', 'agent-health');
    mkdirSync(section, { recursive: true });
    const tracked = { agent: 'tasker', status: 'in_progress', expected_completion: '2030-01-01T00:00:00Z' };
    writeFileSync(
      join(section, 'task-tracking.json'),
      JSON.stringify({
        tasks: [
          { ...tracked, task_id: 'T-1', description: 'Draw boxes', progress_percentage: 60 },
          { ...tracked, task_id: 'T-2', agent: 'nobody' },
        ],
      }),
    );
    const imported = await holter(['import', 'ecos', 'project']);
    expect(imported).toMatchObject({
      code: 1,
      out: 'tasker: task T-1 assigned\ntasker: task T-1 updated\n2 changes made\n',
      err: 'not taken over: nobody T-2: no agent with the id nobody\n',
    });
    const listed = await holter(['task', 'list', '--agent', 'tasker']);
    expect(listed.out).toMatch(/tasker +T-1 \* +in_progress +60 % +2030-01-01T00:00:00Z .*Draw boxes/);
    const shown = await holter(['task', 'show', 'tasker', 'T-1', '--json']);
    expect(JSON.parse(shown.out)).toMatchObject({ taskId: 'T-1', percent: 60, isStalled: false });
    const unknown = await holter(['task', 'end', 'tasker', 'T-9']);
    expect(unknown).toMatchObject({ code: 1 });
    expect(unknown.err).toContain('tasker has no open task T-9; it has T-1');
    expect(await holter(['task', 'end', 'tasker', 'T-1'])).toMatchObject({ code: 0 });
    expect((await holter(['task', 'list', '--agent', 'tasker'])).out).toBe('no open tasks\n');
  });

  it('writes to an agent and reads its answer, and shows a hook what verified senders say', async () => {
    const { token } = await register('pen-pal', {});
    expect((await holter(['mail', 'check'])).out).toBe('');
    const sent = await holter(['mail', 'send', 'pen-pal', '-s', 'Tests', '-m', 'Run them again.']);
    expect(sent.out).toMatch(/^sent msg-\S+\n$/);
    const own = { HOLTER_URL: server.url, HOLTER_TOKEN: String(token) };
    expect((await holter(['mail', 'check', '--inject'], own)).out).toMatch(
      /^Letters to you, in the words of their senders:\necos-chief-of-staff writes \(Tests, \S+\):\n> Run them again\.\n$/,
    );
    const sentList = ['mail', 'list', '--box', 'pen-pal'];
    expect((await holter(sentList)).out).toMatch(/acknowledged .*Tests/);
    const urgent = ['mail', 'send', 'pen-pal', '-s', 'Now', '-m', 'Look.', '--priority', 'urgent'];
    await holter(urgent);
    const told = (await holter(['mail', 'check', '--inject'], own)).out;
    const command = /holter (mail ack \S+ --box pen-pal)\n$/.exec(told)?.[1] ?? '';
    // As in the session of a person, whose own box is another one.
    expect(await holter(command.split(' '))).toMatchObject({ code: 0 });
    await holter(['mail', 'send', 'ecos-chief-of-staff', '-s', 'Re: Tests', '-m', 'All pass.'], own);
    expect((await holter(['mail', 'check'])).out).toBe('1 unread letter: holter mail list --unread\n');
    const [letter] = JSON.parse((await holter(['mail', 'list', '--json'])).out) as { id: string }[];
    expect((await holter(['mail', 'read', letter?.id ?? ''])).out).toContain('All pass.');
    expect((await holter(['mail', 'ack', letter?.id ?? ''])).out).toBe(`acknowledged ${letter?.id}\n`);
    expect((await holter(['mail', 'list'])).out).toMatch(/pen-pal .* acknowledged .*Re: Tests/);
    expect((await holter(['mail', 'check', '--inject', '--url', 'http://127.0.0.1:1'])).code).toBe(0);
    const more = ['mail', 'send', 'pen-pal', '-s', 'Handoff', '--type', 'note', '--content'];
    writeFileSync(join(folder, 'letter.json'), '{"type": "x", "message": "take over", "uuid": "EH-1"}');
    const whole = await holter([...more, `@${join(folder, 'letter.json')}`, '--json']);
    expect(JSON.parse(whole.out)).toMatchObject({
      message: { content: { type: 'note', message: 'take over', uuid: 'EH-1' } },
    });
    expect(await holter([...more, '[1]'])).toMatchObject({ code: 2 });
    expect(await holter([...more, '{}'])).toMatchObject({ code: 2, err: expect.stringContaining('-m TEXT') });
    const toNobody = await holter(['mail', 'send', 'no-agent', '-s', 'x', '-m', 'x']);
    expect(toNobody).toMatchObject({ code: 1, err: expect.stringContaining('no agent with the name') });
  });

  it.each<[args: readonly string[], code: number, says: RegExp]>([
    [['nonsense'], 2, /unknown command/],
    [['up', '--log-level', 'loud'], 2, /Allowed choices are trace/],
    [['up', '--port', '70000'], 2, /a port is a number/],
    [['why'], 2, /missing required argument/],
    [['pause', 'ada'], 2, /--reason/],
    [['decide', 'ada', 'shrug', '--reason', 'x'], 2, /allow_more_time/],
    [['snooze', 'ada', '--minutes', '-1', '--reason', 'x'], 2, /minutes are a number above 0/],
    [['why', 'nobody'], 1, /next: see what there is: holter status/],
    [['status', '--url', 'http://127.0.0.1:1'], 1, /no server answers[\s\S]*holter up/],
    [['status', '--tmux', '--url', 'http://127.0.0.1:1'], 1, /no server answers/],
    [['status', '--url', 'nowhere'], 1, /is not an address/],
  ])('%j exits with %i', async (args, code, says) => {
    const ran = await holter(args);
    expect(ran.err).toMatch(says);
    expect(ran.code).toBe(code);
  });

  it('stops within five seconds, and says goodbye', async () => {
    const began = Date.now();
    expect(await server.end('SIGTERM')).toBe(0);
    expect(Date.now() - began).toBeLessThan(5_000);
    expect(existsSync(join(folder, 'data', 'server.json'))).toBe(false);
    const gone = await holter(['status']);
    expect(gone.code).toBe(1);
    expect(gone.err).toMatch(/no server is running[\s\S]*next: start one: holter up/);
    expect(await holter(['status', '--tmux'])).toMatchObject({ code: 1, out: 'holter: no server\n' });
  });
});
