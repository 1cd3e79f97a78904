import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bash } from '../../e2e/claude/scripted-model.ts';
import { World } from '../../e2e/claude/world.ts';
import { bin } from '../../e2e/holter-process.ts';

const PICTURE = fileURLToPath(new URL('../../scripts/terminal-picture.mjs', import.meta.url));
const TITLE =
  'A looping session: holter status and holter why name the call, the agent changes course, the incident is closed';
const SOCKET = `holter-picture-${process.pid}`;
const PANE = 'picture';
const THINKING_MS = 1_500;

/** The default rules, except that the incident is closed soon after the loop has ended. */
const POLICY = 'rules: { incident_close_after: 2s, settle: 1s }\n';

const tmux = (...args: readonly string[]): string =>
  execFileSync('tmux', ['-L', SOCKET, '-f', '/dev/null', ...args], { encoding: 'utf8' });

export async function record(file: string): Promise<void> {
  const world = await World.start(POLICY);
  let isSeen = false;
  try {
    writeFileSync(join(world.project, 'package.json'), '{"scripts": {"test": "node test.js"}}\n');
    writeFileSync(join(world.project, 'test.js'), 'require("./config.js");\n');
    symlinkSync(world.claudePath, join(world.programs, 'claude'));
    writeFileSync(join(world.programs, 'holter'), `#!/bin/sh\nexec ${process.execPath} ${bin} "$@"\n`, {
      mode: 0o755,
    });
    const model = await world.model(async ({ text }, turn) => {
      await pause(THINKING_MS);
      if (!text.includes('Holter:')) return bash('npm test', 'I will run the tests once more.');
      while (!isSeen) await pause(100);
      if (turn % 2 === 0) return bash('echo "exports.port = 80;" > config.js; npm test');
      return { say: 'Fixed: config.js was missing. The tests pass.' };
    });
    const env = world.environment(model, { TERM: 'xterm-256color', PS1: 'shop $ ', FORCE_COLOR: '1' });
    const { NO_COLOR: _plain, ...shown } = env;
    const words = Object.entries({ ...shown, PATH: `${world.programs}:${env.PATH}` });
    const shell = [
      'env',
      '-i',
      ...words.map(([name, value]) => `${name}=${value}`),
      'bash',
      '--norc',
      '--noprofile',
    ];
    tmux('new-session', '-d', '-s', PANE, '-x', '132', '-y', '40', '-c', world.project, ...shell);
    await type('set +m; clear', 500);
    await type(
      'holter run --agent fixer -- claude -p "make the tests pass" --allowedTools Bash > answer.txt 2>&1 &',
      500,
    );
    await until(async () => (await world.agent('fixer')).state === 'STUCK');
    await type('holter status', 1_500);
    await type('holter why fixer', 1_500);
    isSeen = true;
    await until(async () => (await world.events('fixer')).some(({ type }) => type === 'AGENT_ENDED'));
    await type('tail -1 answer.txt', 500);
    await type('holter events --agent fixer --type NUDGE_SENT,FINDING_CLEARED,INCIDENT_CLOSED', 1_500);
    const screen = tmux('capture-pane', '-e', '-p', '-t', `=${PANE}:`);
    const lines = screen.trimEnd().split('\n').slice(0, -1);
    writeFileSync(file, execFileSync(process.execPath, [PICTURE, TITLE], { input: lines.join('\n') }));
    process.stdout.write(`${file}\n`);
  } finally {
    tmux('kill-server');
    await world.stop();
  }
}

async function type(line: string, waitMs: number): Promise<void> {
  tmux('send-keys', '-t', `=${PANE}:`, '-l', line);
  tmux('send-keys', '-t', `=${PANE}:`, 'Enter');
  await pause(waitMs);
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let looks = 0; looks < 600; looks += 1) {
    if (await isSo().catch(() => false)) return;
    await pause(200);
  }
  throw new Error('it did not come to that');
}
