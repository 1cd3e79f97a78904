import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TmuxServer } from '../../packages/holter/src/tmux/tmux-server.ts';
import { bin, until, World } from '../run/kit.ts';

const standIn = fileURLToPath(new URL('./fixtures/claude', import.meta.url));

/** `npm test` has found or installed tmux; a test that is run alone expects it in the path. */
const hasTmux = process.env.HOLTER_TMUX !== '';

const world = new World();
/** Separate tmux servers, so that no other tmux session is touched: one with agents, one as a person's terminal. */
const socket = `holter-watch-${process.pid}`;
const person = `holter-person-${process.pid}`;
const tmux = (on: string, ...args: readonly string[]): string =>
  execFileSync('tmux', ['-L', on, '-f', '/dev/null', ...args], {
    encoding: 'utf8',
    env: world.env,
  }).trimEnd();

type Line = { readonly pid: number; readonly event: string; readonly args: readonly string[] };

/** What a stand-in for an agent has written down. */
const logOf = (name: string): readonly Line[] => {
  const file = world.path(`${name}.log`);
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
};
const eventsOf = (name: string): readonly string[] => logOf(name).map(({ event }) => event);

let sessions = 0;
const variables = (name: string, begins: string): readonly string[] => {
  sessions += 1;
  const id = `${sessions}0000000-0000-4000-8000-000000000000`;
  return [`STAND_IN=${begins}`, `STAND_IN_LOG=${world.path(`${name}.log`)}`, `STAND_IN_SESSION=${id}`];
};

/** A session with one pane, whose own command is the agent. */
const inPane = (name: string, begins: string): void => {
  const given = variables(name, begins).flatMap((variable) => ['-e', variable]);
  tmux(socket, 'new-session', '-d', '-s', name, '-x', '100', '-y', '30', ...given, 'env', standIn);
};

const ids = new Map<string, string>();
const idOf = (name: string): string => ids.get(name) ?? '';
const paneOf = (name: string): string => tmux(socket, 'list-panes', '-t', `=${name}:`, '-F', '#{pane_id}');

let watch: ChildProcess;
let said = '';

const isStopped = () => watch.exitCode !== null || watch.signalCode !== null;

describe.runIf(hasTmux)('holter tmux watch', () => {
  beforeAll(async () => {
    for (const [name, begins] of [
      ['idle', 'idle'],
      ['asking', 'asking'],
      ['typing', 'idle'],
      ['grouped', 'idle'],
      ['controlled', 'idle'],
      ['synchronized', 'idle'],
      ['dead', 'busy'],
    ] as const)
      inPane(name, begins);
    tmux(socket, 'new-session', '-d', '-s', 'zombie', '-x', '100', '-y', '30', 'sh', '-i');
    const line = `${variables('zombie', 'busy').join(' ')} ${standIn}`;
    tmux(socket, 'send-keys', '-t', '=zombie:', line, 'Enter');
    tmux(person, 'new-session', '-d', '-s', 'desk', '-x', '100', '-y', '30', 'sh');
    tmux(person, 'send-keys', '-t', '=desk:', `TMUX= tmux -L ${socket} attach -t =typing`, 'Enter');
    watch = spawn(process.execPath, [bin, 'tmux', 'watch', '--socket', socket, '--mode', 'act'], {
      cwd: world.folder,
      env: world.env,
    });
    watch.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    for (const name of tmux(socket, 'list-sessions', '-F', '#{session_name}').split('\n'))
      ids.set(name, `${name}.${paneOf(name).slice(1)}`);
    for (const id of ids.values())
      await until(`${id} is watched`, () => said.includes(`${id} is watched: claude-code`));
  });

  afterAll(async () => {
    if (watch && !isStopped()) watch.kill('SIGTERM');
    await until('the watch has ended', isStopped);
    for (const [on, name] of [...[...ids.keys()].map((each) => [socket, each]), [person, 'desk']])
      tmux(on ?? '', 'kill-session', '-t', `=${name}`);
    await world.close();
  });

  const nudge = (name: string) =>
    world.holter('nudge', idOf(name), '--reason', 'is it done; or not?', '--no-wait');

  it('sends a nudge at the prompt, and verifies it', async () => {
    await nudge('idle');
    await until('it arrives', () => eventsOf('idle').includes('sent: Holter: is it done; or not?'));
    await until('its receipt', async () =>
      (await world.receipts(idOf('idle'))).some(({ outcome }) => outcome === 'delivered'),
    );
  });

  it('never presses a key at a permission prompt, which its own file tells', async () => {
    await world.untilAgent(idOf('asking'), 'it waits for a person', (agent) =>
      JSON.stringify(agent).includes('waiting-for-permission'),
    );
    await nudge('asking');
    await until('the reason is said', () => said.includes(`${idOf('asking')}: a nudge waits: it is asking`));
    expect(eventsOf('asking')).toEqual(['started']);
  });

  it('never types beside a person', async () => {
    const shown = () => tmux(socket, 'capture-pane', '-p', '-t', paneOf('typing'));
    tmux(person, 'send-keys', '-t', '=desk:', '-l', 'half a line');
    await until('the person types', () => shown().includes('half a line'));
    await nudge('typing');
    await until('the reason is said', () => said.includes(`${idOf('typing')}: a nudge waits: `));
    expect(eventsOf('typing')).toEqual(['started']);
    expect(shown()).toContain('❯ half a line\n');
  });

  it('never types beside a person who shows the pane in another session', async () => {
    const clients = () => tmux(socket, 'list-clients', '-F', '#{session_name}').split('\n');
    // Its name comes after that of the session of the agent.
    const another = `TMUX= tmux -L ${socket} new-session -t grouped -s zz`;
    tmux(person, 'new-window', '-t', '=desk:', '-n', 'zz', 'sh', '-c', another);
    await until('the person sees it', () => clients().includes('zz'));
    tmux(person, 'send-keys', '-t', '=desk:zz', '-l', 'half a line');
    await nudge('grouped');
    await until('the reason is said', () =>
      said.includes(`${idOf('grouped')}: a nudge waits: somebody is typing in its session`),
    );
    expect(eventsOf('grouped')).toEqual(['started']);
    tmux(socket, 'kill-session', '-t', '=zz');
  });

  it('waits while a terminal in control mode shows the pane: when somebody types there is not known', async () => {
    const words = ['-L', socket, '-C', 'attach-session', '-t', '=controlled'];
    const terminal = spawn('tmux', words, { env: world.env, stdio: ['pipe', 'ignore', 'ignore'] });
    const clients = () => tmux(socket, 'list-clients', '-t', '=controlled', '-F', '#{client_flags}');
    await until('it is attached', () => clients().includes('control-mode'));
    await nudge('controlled');
    await until('the reason is said', () =>
      said.includes(`${idOf('controlled')}: a nudge waits: a terminal in control mode shows it`),
    );
    expect(eventsOf('controlled')).toEqual(['started']);
    terminal.stdin.end();
    await until('it arrives', () => eventsOf('controlled').includes('sent: Holter: is it done; or not?'));
  });

  it('never presses a key that would reach other panes', async () => {
    const neighbour = world.path('neighbour');
    const pane = paneOf('synchronized');
    const synchronize = (value: string) =>
      tmux(socket, 'set-option', '-w', '-t', pane, 'synchronize-panes', value);
    const other = ['-P', '-F', '#{pane_id}', '-t', pane, 'sh', '-c', `exec cat > ${neighbour}`];
    const otherPane = tmux(socket, 'split-window', '-d', ...other);
    await until('the neighbour reads', () => existsSync(neighbour));
    synchronize('on');
    await nudge('synchronized');
    await until('the reason is said', () =>
      said.includes(`${idOf('synchronized')}: a nudge waits: what is typed here would go to other panes too`),
    );
    synchronize('off');
    await until('it arrives', () => eventsOf('synchronized').includes('sent: Holter: is it done; or not?'));
    expect(readFileSync(neighbour, 'utf8')).toBe('');
    tmux(socket, 'kill-pane', '-t', otherPane);
  });

  it('stops trying a nudge that no person has ordered as soon as a person stops acts', async () => {
    const refusals = async () =>
      (await world.receipts(idOf('typing'))).filter(({ outcome }) => outcome === 'refused').length;
    const before = await refusals();
    const body = { by: 'tmux.escape_hung_model', reason: 'no answer came', source: 'run' };
    await world.ask('POST', `/v1/agents/${idOf('typing')}/nudge`, body);
    await until('it waits', () => said.match(/typing\.\d+: a nudge waits: /g)?.length === 2);
    await world.holter('estop');
    await until('it is over', async () => (await refusals()) > before, 5_000);
    expect(JSON.stringify(await world.receipts(idOf('typing')))).toContain('a person has stopped acts');
    // What a person orders is done.
    await world.holter('nudge', idOf('idle'), '--reason', 'all the same', '--no-wait');
    await until('it arrives', () => eventsOf('idle').includes('sent: Holter: all the same'));
    await world.holter('estop', '--off');
  });

  it.each([
    ['dead', 'a dead pane'],
    ['zombie', 'a shell whose agent has gone'],
  ])('%s: starts an agent that was killed again in the same pane: %s', async (name) => {
    const pane = paneOf(name);
    const [first] = logOf(name);
    process.kill(first?.pid ?? 0, 'SIGKILL');
    const second = await until('its successor has started', () => logOf(name)[1] ?? null);
    expect(second.args.join(' ')).toContain('Holter: this work was interrupted');
    expect(paneOf(name)).toBe(pane);
    const pid = Number(tmux(socket, 'display-message', '-p', '-t', pane, '#{pane_pid}'));
    expect(pid).toBe(second.pid);
    await world.untilAgent(
      idOf(name),
      'it is its second start',
      ({ incarnation, end }) => incarnation === 2 && !end,
    );
    expect(await world.events(idOf(name))).toContain('INCIDENT_OPENED');
  });

  it('stops an agent with all its processes when it is told to, and keeps what its pane showed', async () => {
    const [first] = logOf('idle');
    await world.holter('terminate', idOf('idle'), '--reason', 'enough');
    const { end } = await world.untilAgent(idOf('idle'), 'it is stopped', (agent) => agent.end !== null);
    expect(end).toMatchObject({ byHolter: true });
    expect(existsSync(join('/proc', String(first?.pid), 'exe'))).toBe(false);
    expect((await world.holter('logs', idOf('idle'))).out).toContain('❯');
  });

  it('refuses a second watcher of the same tmux server', async () => {
    const { code, err } = await world.holter('tmux', 'watch', '--socket', socket);
    expect(code).toBe(1);
    expect(err).toContain(`runs for this tmux server already (pid ${watch.pid})`);
  });

  it('shares one client among all that look at once', async () => {
    const clients = () => tmux(socket, 'list-clients', '-F', '#{client_control_mode}').split('1').length - 1;
    await until('only the watch is attached', () => clients() === 1);
    const server = new TmuxServer(socket, world.env);
    const looks = await Promise.all([server.look(), server.look(), server.look()]);
    for (const look of looks) expect(look?.size).toBe(ids.size);
    expect(clients()).toBe(2);
    server.close();
    await until('it has left', () => clients() === 1);
  });

  it('shows the fleet in one line for tmux', async () => {
    const { code, out } = await world.holter('status', '--tmux');
    expect(code).toBe(0);
    expect(out).toMatch(/^[^\n]*\d HEALTHY[^\n]* \| waiting for you: [^\n]*\n$/);
    expect(out).toContain(idOf('asking'));
  });
});
