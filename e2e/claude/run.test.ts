import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isThere, until } from '../run/kit.ts';
import { bash, usageLimit } from './scripted-model.ts';
import { shortPolicy, World } from './world.ts';

const policy = `${shortPolicy}
  freeze_flat: 2s
  unattended: true
`.replace('escalation: { timeout_seconds: 30 }', 'escalation: { timeout_seconds: 4 }');

const RESUMED = 'Holter: this work was interrupted';

describe.concurrent('holter run -- claude', { timeout: 120_000 }, () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start(policy);
  }, 200_000);
  afterAll(() => world?.stop());

  const pidIn = (file: string): number => Number(readFileSync(join(world.project, file), 'utf8'));

  it('passes everything through, and touches no file of the user', async () => {
    const model = await world.model((_request, turn) =>
      turn < 3 ? bash(`echo ${turn}`) : { say: 'Finished.' },
    );
    const { ended } = world.run(model, { options: ['--agent', 'plain'] });
    expect(await ended).toMatchObject({ code: 0, out: expect.stringContaining('Finished.') });
    const agent = await world.get<Record<string, unknown>>('/v1/agents/plain');
    expect(agent).toMatchObject({ mode: 'act', end: { how: 'exit-0' } });
    expect(existsSync(join(world.folder, '.claude', 'settings.json'))).toBe(false);
    expect(existsSync(join(world.project, '.claude'))).toBe(false);
  });

  it('killed in the middle of a tool: the tool is ended, the work goes on with its context', async () => {
    const model = await world.model(({ text }, turn) => {
      if (text.includes(RESUMED)) return { say: 'Finished after all.' };
      return turn === 1 ? bash('echo before') : bash('echo $$ > tool.pid; exec sleep 300');
    });
    const session = randomUUID();
    const { ended } = world.run(model, { options: ['--agent', 'killed'], args: ['--session-id', session] });
    await until(
      'the tool runs',
      () => existsSync(join(world.project, 'tool.pid')) && pidIn('tool.pid') > 0,
      60_000,
    );
    // The CLI writes its transcript in batches, some 40 ms late (measured): a conversation that is cut before
    // the result of its first call was written is resumed without that call.
    await until('the conversation is written', () => world.transcript(session).includes('tool.pid'));
    const tool = pidIn('tool.pid');
    const claude = await world.childOf('killed');
    process.kill(claude, 'SIGKILL');
    const ran = await ended;
    expect(ran, ran.err).toMatchObject({ code: 0, out: expect.stringContaining('Finished after all.') });
    expect(isThere(tool)).toBe(false);
    const last = model.requests.at(-1)?.text ?? '';
    expect(last).toContain('echo before');
    expect(last).toContain(RESUMED);
    const agent = await world.get<Record<string, unknown>>('/v1/agents/killed');
    expect(agent).toMatchObject({ incarnation: 2, end: { how: 'exit-0' } });
    const events = await world.events('killed');
    const started = events.find(({ type }) => type === 'RECOVERY_INITIATED');
    expect(started?.payload).toMatchObject({ fromCheckpoint: 'session' });
    expect(JSON.stringify(events)).not.toContain('no valid checkpoint');
  });

  it('killed, and nothing is left to resume: the task starts from the beginning, with the note', async () => {
    const session = randomUUID();
    const model = await world.model(({ text }, turn) => {
      if (text.includes(RESUMED)) return { say: 'Finished from the beginning.' };
      return turn === 1 ? bash('echo before') : bash('touch lost.mark; sleep 300');
    });
    const { ended } = world.run(model, { options: ['--agent', 'lost'], args: ['--session-id', session] });
    await until('the tool runs', () => existsSync(join(world.project, 'lost.mark')), 60_000);
    process.kill(await world.childOf('lost'), 'SIGKILL');
    for (const file of world.transcriptsOf(session)) rmSync(file);
    const ran = await ended;
    expect(ran, ran.err).toMatchObject({
      code: 0,
      out: expect.stringContaining('Finished from the beginning.'),
    });
    const last = model.requests.at(-1)?.text ?? '';
    expect(last).toContain('do the work');
    expect(last).not.toContain('echo before');
  });

  it('a loop that ignores nudges: refused, decided by a person, ended with its tool, and brought back', async () => {
    let decided = '';
    const model = await world.model(async ({ text }, turn) => {
      if (text.includes(RESUMED)) return { say: 'Finished another way.' };
      if (decided === '' && text.includes('this call was made several times')) {
        decided = (
          await world.holter([
            'decide',
            'deaf',
            'terminate_and_recover',
            '--no-wait',
            '--reason',
            'it does not listen',
          ])
        ).err;
        decided ||= 'decided';
        return bash('echo $$ > deaf.pid; exec sleep 300');
      }
      return turn > 60 ? { say: 'Gave up.' } : bash('cat missing.txt');
    });
    const { ended } = world.run(model, {
      options: ['--agent', 'deaf', '--config', join(world.folder, 'policy.yaml')],
    });
    const ran = await ended;
    expect(ran, ran.err).toMatchObject({ code: 0, out: expect.stringContaining('Finished another way.') });
    expect(decided).toBe('decided');
    const types = (await world.events('deaf')).map(({ type }) => type);
    expect(types).toContain('ESCALATION_TRIGGERED');
    expect(types.filter((type) => type === 'NUDGE_SENT').length).toBeGreaterThanOrEqual(2);
    expect(types).toContain('DECISION_MADE');
    expect(types).toContain('RECOVERY_COMPLETED');
    if (existsSync(join(world.project, 'deaf.pid'))) expect(isThere(pidIn('deaf.pid'))).toBe(false);
    const note = model.requests.find(({ text }) => text.includes(RESUMED))?.text ?? '';
    expect(note).toContain('again and again with the same result');
    expect(note).toMatch(/in its operator's words: \W{1,2}it does not listen/);
  });

  // Under load it takes longer: a process is called frozen only by looks that come regularly.
  it('a model that never answers: ended on two sources, and brought back', { timeout: 300_000 }, async () => {
    const model = await world.model(({ text }, turn) => {
      if (text.includes(RESUMED)) return { say: 'Finished after the silence.' };
      return turn === 1 ? bash('echo begun') : { hang: true };
    });
    const { ended } = world.run(model, { options: ['--agent', 'hung', '--model-timeout', '1s'] });
    const ran = await ended;
    expect(ran, ran.err).toMatchObject({
      code: 0,
      out: expect.stringContaining('Finished after the silence.'),
    });
    const events = await world.events('hung');
    const found = events.filter(({ type }) => type === 'FINDING_RAISED').map(({ payload }) => payload.kind);
    expect(found).toEqual(expect.arrayContaining(['silent', 'frozen']));
    const agent = await world.get<Record<string, unknown>>('/v1/agents/hung');
    expect(agent).toMatchObject({ incarnation: 2, end: { how: 'exit-0' } });
    expect(model.requests.at(-1)?.text).toContain('echo begun');
  });

  it('a rate limit in the stream: on hold until it passes, and nothing else', async () => {
    const model = await world.model((_request, turn) => {
      if (turn === 2) return { status: 429, error: 'rate_limit_error', retryAfterSeconds: 8 };
      return turn < 4 ? bash(`echo ${turn}`) : { say: 'Finished.' };
    });
    const { ended } = world.run(model, {
      options: ['--agent', 'limited', '--model-timeout', '1s'],
      args: ['--output-format', 'stream-json', '--verbose'],
    });
    const ran = await ended;
    expect(ran, ran.err).toMatchObject({ code: 0, out: expect.stringContaining('"subtype":"success"') });
    const types = (await world.events('limited')).map(({ type, payload }) =>
      `${type} ${payload.hold ?? ''}`.trim(),
    );
    expect(types).toContain('HOLD_BEGAN rate-limited');
    expect(types.filter((type) => /NUDGE|ESCALATION|INCIDENT|TERMINAT/.test(type))).toEqual([]);
  });

  it('a usage limit: down until its reset, told once, and resumed at once by a person', async () => {
    const model = await world.model(({ text }, turn) => {
      if (text.includes(RESUMED)) return { say: 'Finished after the limit.' };
      return turn === 1 ? bash('echo before') : usageLimit(Date.now() + 3 * 3_600_000);
    });
    const subscription = { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-dummy' };
    const { child, ended } = world.run(model, { options: ['--agent', 'spent'], more: subscription });
    let err = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      err += chunk.toString();
    });
    await until('it says when it goes on', () => err.includes('its usage limit resets then'), 60_000);
    expect(err).toMatch(/is started again in (2 h 5\d|3 h( \d)?) ?(min)?: its usage limit resets then/);
    const { notices } = await world.get<{ notices: { message: string }[] }>('/v1/incidents');
    expect(notices.filter(({ message }) => message.includes('spent has reached a usage limit'))).toHaveLength(
      1,
    );
    await world.holter(['decide', 'spent', 'recover', '--reason', 'another account']);
    const ran = await ended;
    expect(ran, ran.err).toMatchObject({
      code: 0,
      out: expect.stringContaining('Finished after the limit.'),
    });
    expect(model.requests.at(-1)?.text).toContain('echo before');
  });

  it.each(['stream-json', 'json'])(
    'a usage limit is known without hooks, by the last record (%s)',
    async (format) => {
      const model = await world.model(({ text }) =>
        text.includes(RESUMED)
          ? { say: 'Finished after the limit.' }
          : usageLimit(Date.now() + 3 * 3_600_000),
      );
      const agentId = `spent-${format}`;
      const { child, ended } = world.run(model, {
        options: ['--agent', agentId],
        args: ['--output-format', format, '--verbose', '--settings', '{"disableAllHooks":true}'],
        more: { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-dummy' },
      });
      let err = '';
      child.stderr?.on('data', (chunk: Buffer) => {
        err += chunk.toString();
      });
      await until('it says when it goes on', () => err.includes('its usage limit resets then'), 60_000);
      await world.holter(['decide', agentId, 'recover', '--reason', 'another account']);
      expect((await ended).code).toBe(0);
    },
  );
});
