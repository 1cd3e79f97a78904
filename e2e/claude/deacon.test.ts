import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDeacon } from '../../packages/holter/src/deacon/act.ts';
import { type Chain, openChain } from '../../packages/holter/src/deacon/context.ts';
import { lookAtDeacon } from '../../packages/holter/src/deacon/look.ts';
import { PATROL_PROMPT } from '../../packages/holter/src/town/patrol-prompt.ts';
import { bin } from '../holter-process.ts';
import { until } from '../run/kit.ts';
import { bash, type ScriptedModel } from './scripted-model.ts';
import { World } from './world.ts';

/** `npm test` has found or installed tmux; a test that is run alone expects it in the path. */
const hasTmux = process.env.HOLTER_TMUX !== '';

const HANDED_OVER = 'Two agents wait for a person.';
const DONE = { say: 'Done.' };

describe.runIf(hasTmux)('Claude Code as the Deacon of a town', { timeout: 90_000 }, () => {
  const socket = `holter-deacon-${process.pid}`;
  let world: World;
  let model: ScriptedModel;
  let chain: Chain;
  let isSecondRun = false;
  const town = (...names: readonly string[]): string => join(world.folder, 'gt', ...names);

  beforeAll(async () => {
    // No short times: it is not to be judged here.
    world = await World.start('rules: { settle: 0 }\n');
    const holter = (words: string): string => `${process.execPath} ${bin} ${words}`;
    const check = `deacon health-check --town ${town()} --socket ${socket}`;
    const handoff = `handoff --end --town ${town()} -s "Routine cycle" -m "${HANDED_OVER}"`;
    model = await world.model(({ text }) => {
      // It asks for nothing: what it is shown was injected.
      if (isSecondRun) return DONE;
      if (!text.includes('0 unhealthy')) return bash(holter(check));
      return text.includes('hand over now, after') ? bash(holter(handoff)) : DONE;
    });
    const command = [world.claudePath, PATROL_PROMPT, '-p', '--allowedTools', 'Bash'];
    const config = { town: { socket, deacon_command: command } };
    mkdirSync(join(world.folder, 'holter'));
    mkdirSync(town());
    writeFileSync(town('town.json'), JSON.stringify({ cycles_max: 1 }));
    writeFileSync(join(world.folder, 'holter', 'holter.yaml'), JSON.stringify(config));
    const opened = await openChain(
      {
        out: () => undefined,
        err: () => undefined,
        env: world.environment(model),
        workingDirectory: world.folder,
        isTerminal: false,
        hasColour: false,
        isLogTerminal: false,
        width: 100,
        setExitCode: () => undefined,
        onStop: () => () => undefined,
        onHangup: () => undefined,
      },
      { town: town() },
    );
    // The sources know no built file of themselves.
    chain = {
      ...opened,
      command: opened.command.map((word) => (word.endsWith('/main.js') ? bin : word)),
    };
  }, 200_000);

  afterAll(async () => {
    chain?.close();
    await world?.stop();
  });

  it('patrols, writes its heartbeat, and hands over', async () => {
    expect(await startDeacon(chain)).toMatchObject({ outcome: 'done' });
    const incarnation = (await lookAtDeacon(chain)).run?.incarnation;
    await until('it has handed over', () => existsSync(town('deacon', 'state.json')));
    expect(JSON.parse(readFileSync(town('deacon', 'heartbeat.json'), 'utf8'))).toMatchObject({
      cycle: 1,
      last_action: 'health-check',
      incarnation,
    });
    expect(readFileSync(town('deacon', 'digests.jsonl'), 'utf8')).toContain(HANDED_OVER);
    await until('its session has ended', async () => (await lookAtDeacon(chain)).session === 'dead');
    expect(await world.agent('deacon')).toMatchObject({ group: 'town', incarnation: 1 });
  });

  it('the next run is shown the handoff with its first prompt', async () => {
    isSecondRun = true;
    const asked = model.requests.length;
    expect(await startDeacon(chain)).toMatchObject({ outcome: 'done' });
    await until('the letter is in its context', () =>
      model.requests.slice(asked).some(({ text }) => text.includes(HANDED_OVER)),
    );
    await until('its session has ended', async () => (await lookAtDeacon(chain)).session === 'dead');
    expect(
      execFileSync('sh', ['-c', `tmux -L ${socket} ls 2>&1 || true`], { encoding: 'utf8' }),
    ).not.toContain('hq-deacon');
  });
});
