import { basename, resolve } from 'node:path';
import type { Capability, Mode } from '@holter/core';
import type { Adapter, Recipe } from '@holter/server/adapters';
import { hasTerminal, type Terminal } from './child.ts';
import { findAdapter } from './find-adapter.ts';
import { findCommand } from './find-command.ts';
import type { RunOptions } from './options.ts';
import type { FollowedTranscript } from './transcript-follower.ts';
import { wordsOf } from './words-of.ts';

/** What the options come to, before anything is started. */
export type Plan = {
  readonly agentId: string;
  readonly argv: readonly string[];
  /** What stands before the program of the recipe: `env X=1`, `timeout 1h`. */
  readonly before: readonly string[];
  /** The agent that the command line hides, so that only its process is watched. */
  readonly hidden: string | null;
  /** An agent that Holter knows by its name, perhaps without a recipe for it. */
  readonly isKnownAgent: boolean;
  /** Null: the same command again, which finds its state in its checkpoint file. */
  readonly resumeWords: readonly string[] | null;
  readonly mode: Mode;
  readonly can: readonly Capability[];
  readonly promises: Readonly<Record<string, unknown>>;
  readonly checkpointFile: string | null;
  readonly isInteractive: boolean;
  /** For a session of a known agent; it says how to start it, and how to bring it back. */
  readonly recipe: Recipe | null;
  /** The name of its adapter, for a session of a known agent. */
  readonly agentKind: string | null;
  /** Whether nudges reach it in the replies to its hooks, and not by its nudge file. */
  readonly hasHooks: boolean;
  /** What this run follows itself. */
  readonly transcript: FollowedTranscript | null;
};

export function planOf(
  options: RunOptions,
  command: readonly string[],
  terminal: Terminal,
  env: NodeJS.ProcessEnv,
  workingDirectory: string,
  newId: () => string,
  now: () => number,
): Plan {
  const [name = '', ...args] = command;
  const program = findCommand(name, env.PATH, workingDirectory);
  const argv = [program, ...args];
  const found = findAdapter(options.agentKind, argv);
  const { adapter, before, hidden } = found;
  const innerEnv = { ...env, ...found.variables };
  const recipe =
    adapter?.recipe?.({
      ...{ program: found.program, args: found.args },
      ...{ env: innerEnv, workingDirectory, newId, now },
    }) ?? null;
  const hasHooks = recipe !== null && adapter?.hooks !== undefined;
  const resumeWords = options.resumeCommand === undefined ? null : wordsOf(options.resumeCommand);
  if (resumeWords) findCommand(resumeWords[0] ?? '', env.PATH, workingDirectory);
  // Automatic termination needs a proven way to resume. A user who asks for `act` accepts a new start instead.
  const canResume =
    options.recover &&
    (resumeWords !== null || options.checkpointFile !== undefined || recipe?.canResume === true);
  const isAlone = !terminal.input || recipe?.isHeadless === true;
  const mode = options.mode ?? (canResume && isAlone ? 'act' : 'nudge');
  const canSpawn = options.recover && (canResume || options.mode === 'act');
  return {
    agentId: options.agent ?? nameFor(name, newId()),
    argv,
    before,
    hidden,
    isKnownAgent: adapter !== null,
    resumeWords,
    mode,
    can: [
      'nudge',
      'terminate',
      ...(canSpawn ? (['spawn'] as const) : []),
      ...(canSpawn && recipe?.canResume && resumeWords === null ? (['resume'] as const) : []),
      ...(hasHooks ? (['deny-call'] as const) : []),
    ],
    promises: { ...promisesOf(options), ...(recipe && reportsOf(adapter, recipe, options)) },
    checkpointFile:
      options.checkpointFile === undefined ? null : resolve(workingDirectory, options.checkpointFile),
    isInteractive: hasTerminal(terminal),
    recipe,
    agentKind: recipe && adapter ? adapter.name : null,
    hasHooks,
    transcript:
      recipe?.transcript && adapter?.transcript ? { ...recipe.transcript, ...adapter.transcript } : null,
  };
}

/** What sessions of this agent report, by its adapter, its command line and the options, the last one first. */
function reportsOf(
  adapter: Adapter | null,
  recipe: Recipe,
  { modelTimeout }: RunOptions,
): Plan['promises'] | null {
  if (!adapter?.promises) return null;
  const { calls, ...others } = adapter.promises;
  const modelTimeoutMs = modelTimeout ?? recipe.modelTimeoutMs ?? calls.modelTimeoutMs;
  return { ...others, calls: { modelTimeoutSeconds: modelTimeoutMs / 1_000 } };
}

const nameFor = (command: string, id: string): string =>
  `${
    basename(command)
      .replace(/[^A-Za-z0-9._-]/g, '-')
      .slice(0, 60) || 'agent'
  }-${id.slice(0, 6)}`;

/** A generic command promises to run and nothing else: it may rightly be quiet for hours. */
function promisesOf({ heartbeat, heartbeatEvery }: RunOptions): Plan['promises'] {
  if (heartbeat === 'process') return { process: true };
  return { process: true, beatEverySeconds: heartbeatEvery / 1_000 };
}
