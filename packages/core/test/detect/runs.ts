import { type Instant, instant } from '../../src/base/time.ts';
import {
  type AgentStep,
  defaultDetectionPolicy,
  emptyDetectorState,
  observe,
} from '../../src/detect/index.ts';

/** Helpers to build and judge runs. */
export type StepParts = Partial<AgentStep>;

export const call = (command: string, output: string, parts: StepParts = {}): AgentStep => ({
  at: null,
  kind: 'tool',
  tool: 'shell',
  input: { command },
  output,
  error: false,
  text: null,
  tokens: null,
  ...parts,
});

export const failing = (command: string, output: string, parts: StepParts = {}): AgentStep =>
  call(command, output, { error: true, ...parts });

export const say = (text: string, parts: StepParts = {}): AgentStep => ({
  at: null,
  kind: 'message',
  tool: null,
  input: null,
  output: null,
  error: null,
  text,
  tokens: null,
  ...parts,
});

export const edit = (path: string, from: string, to: string): AgentStep =>
  call('', 'ok', {
    tool: 'edit',
    input: { path, old_string: from, new_string: to },
    output: `${path} updated`,
  });

export const repeat = (
  count: number,
  make: (index: number) => AgentStep | readonly AgentStep[],
): AgentStep[] => Array.from({ length: count }, (_, index) => make(index)).flat();

/** Gives the steps a clock: one every `paceMs`. */
export const paced = (steps: readonly AgentStep[], paceMs: number): AgentStep[] =>
  steps.map((step, index) => ({ ...step, at: instant((index + 1) * paceMs) as Instant }));

const RANK = { none: 0, warn: 1, act: 2 } as const;
export type Level = keyof typeof RANK;

export type Judged = {
  readonly worst: Level;
  readonly kinds: readonly string[];
  readonly firstAct: number | null;
};

/** The most severe finding that ever held, and every `kind:severity` in order of appearance. */
export function judge(steps: readonly AgentStep[]): Judged {
  let state = emptyDetectorState;
  let worst: Level = 'none';
  let firstAct: number | null = null;
  const kinds = new Set<string>();
  steps.forEach((step, index) => {
    const observation = observe(state, step, defaultDetectionPolicy);
    state = observation.state;
    for (const finding of observation.findings) {
      kinds.add(`${finding.kind}:${finding.severity}`);
      if (RANK[finding.severity] > RANK[worst]) worst = finding.severity;
      if (finding.severity === 'act') firstAct ??= index;
    }
  });
  return { worst, kinds: [...kinds], firstAct };
}

export const rankOf = (level: Level): number => RANK[level];
