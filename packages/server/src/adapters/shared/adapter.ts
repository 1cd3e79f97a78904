import type { DurationMs } from '@holter/core';
import type { Connect, Diagnosis, DiagnosisContext } from './connect.ts';
import type { Hooks } from './hooks.ts';
import type { Recipe, RecipeContext } from './recipe.ts';
import type { ReplayFormat } from './replay.ts';
import type { ScreenMarks } from './screen.ts';
import type { ReadSessionFiles } from './session-file.ts';
import type { OpenStepFolder } from './step-folder.ts';
import type { Transcript } from './transcript.ts';

/**
 * Everything that Holter knows about one kind of agent. Only the name and how its program is recognised are
 * required; each further part is one more thing that Holter sees of the agent or can do with it. An adapter is a
 * folder beside this one and a line in `../index.ts`; docs/agents/adding-one.md shows how to write one.
 */
export type Adapter = {
  /** The agent kind, as in `--agent-kind NAME`, `holter connect NAME` and the route `/hooks/NAME`. */
  readonly name: string;
  /** Whether this program, given by its path, is the agent. */
  readonly isProgram: (program: string) => boolean;
  /** What a session of it may be judged by. */
  readonly promises?: AgentPromises;
  /** Sense and act: what it posts to Holter, and how the reply nudges it, refuses a call or interrupts it. */
  readonly hooks?: Hooks;
  /** Sense: the log of a session, for what hooks do not report. */
  readonly transcript?: Transcript;
  /** Sense: the files that running sessions keep about themselves. */
  readonly session?: ReadSessionFiles;
  /** Sense: by which words its terminal shows that it works, is idle or asks; for sessions in tmux. */
  readonly screen?: ScreenMarks;
  /** Acts: how `holter run` spawns, resumes and terminates it; null for a command line that is no session. */
  readonly recipe?: (context: RecipeContext) => Recipe | null;
  /** Adds hooks to its settings and removes them again, for sessions that people start themselves. */
  readonly connect?: Connect;
  /** Explains why its hooks do not arrive; null when it was never connected. */
  readonly doctor?: (context: DiagnosisContext) => Diagnosis | null;
  /** Sense: a folder of sessions with logs of their steps, for the judge. */
  readonly stepFolder?: OpenStepFolder;
  /** Reads recorded sessions for `holter replay`. */
  readonly replay?: ReplayFormat;
};

type AgentPromises = {
  /** It reports its calls, and waits at most this long for its model without a sign. */
  readonly calls: { readonly modelTimeoutMs: DurationMs };
  /** It says when it has work and when it has none; without this, idleness counts as silence. */
  readonly turns?: true;
};
