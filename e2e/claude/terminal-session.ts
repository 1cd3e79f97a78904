import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bin } from '../holter-process.ts';
import type { ScriptedModel } from './scripted-model.ts';
import type { World } from './world.ts';

/** `holter run -- claude`, or `claude` alone, in a terminal of its own, where Claude Code asks a person. */
export class TerminalSession {
  private readonly agentId: string;
  private readonly socket: string;

  constructor(world: World, model: ScriptedModel, agentId: string, isRun = true) {
    this.agentId = agentId;
    this.socket = `holter-${agentId}-${process.pid}`;
    answerDialogs(world);
    const env = Object.entries(world.environment(model, { TERM: 'xterm-256color' }));
    const words = env.map(([name, value]) => `${name}=${quoted(value)}`).join(' ');
    const alone = `${world.claudePath} ${quoted('clean up')}`;
    const run = isRun ? `${process.execPath} ${bin} run --agent ${agentId} -- ${alone}` : alone;
    const size = ['-x', '120', '-y', '40', '-c', world.project];
    this.tmux('new-session', '-d', '-s', agentId, ...size, `env -i ${words} ${run}`);
  }

  press(key: string): void {
    this.tmux('send-keys', '-t', `=${this.agentId}:`, key);
  }

  screen(): string {
    return this.tmux('capture-pane', '-p', '-t', `=${this.agentId}:`).trimEnd();
  }

  end(): void {
    this.tmux('kill-session', '-t', `=${this.agentId}`);
  }

  /** A separate tmux server, so that no other tmux session is touched. */
  private tmux(...args: readonly string[]): string {
    return execFileSync('tmux', ['-L', this.socket, '-f', '/dev/null', ...args], { encoding: 'utf8' });
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** An interactive session skips its first-run dialogs only if its own files say that they were answered. */
function answerDialogs(world: World): void {
  const answered = {
    hasCompletedOnboarding: true,
    customApiKeyResponses: { approved: ['dummy'] },
    projects: { [world.project]: { hasTrustDialogAccepted: true } },
  };
  mkdirSync(join(world.folder, '.claude'), { recursive: true });
  for (const file of ['.claude.json', '.claude/.claude.json'])
    writeFileSync(join(world.folder, file), JSON.stringify(answered));
}
