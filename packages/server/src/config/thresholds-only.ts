import type { FileProblem, YamlFile } from './yaml-file.ts';

/**
 * A `holter.yaml` that lies in a working directory came with somebody's code. It may say how patient Holter
 * should be with that code, and nothing else: no switch, no step, no channel, nothing about other agents.
 * An allow-list, so that a setting added later is closed until somebody opens it.
 */
const allowed: readonly RegExp[] = [
  /^health_monitoring\.heartbeat\.(interval|timeout)_seconds$/,
  /^health_monitoring\.health_check\.(interval|checkpoint_stale_threshold)_seconds$/,
  /^health_monitoring\.intervention\.nudge\.(max_attempts|interval_seconds)$/,
  /^health_monitoring\.intervention\.escalation\.timeout_seconds$/,
  /^health_monitoring\.recovery\.(max_attempts_per_task|max_attempts_per_hour|backoff_seconds)$/,
  /^rules\.(?!.*_step$|unattended$)[a-z_]+$/,
  /^limits\.(tokens|cost_usd|runtime|memory)_max$/,
  /^(interval_seconds|missed_threshold|slack_seconds)$/,
];

const override = /^(profiles|groups|agents)$/;

export function forbiddenIn({ file, raw, placeOf }: YamlFile, operatorFile: string): readonly FileProblem[] {
  return leavesOf(raw, '')
    .filter(({ setting }) => !allowed.some((pattern) => pattern.test(setting)))
    .map(({ path }) => ({
      place: placeOf(path) ?? { file, line: 1, column: 1 },
      path,
      message: `a holter.yaml in a working directory may set thresholds only; write this in ${operatorFile}`,
    }));
}

type Leaf = { readonly path: string; readonly setting: string };

/** Every setting that is written, with its path in the file and its name without the override around it. */
function leavesOf(raw: unknown, path: string): readonly Leaf[] {
  if (!isSection(raw)) return path === '' ? [] : [{ path, setting: path }];
  return Object.entries(raw).flatMap(([key, value]) => {
    const below = path === '' ? key : `${path}.${key}`;
    if (path === '' && override.test(key) && isSection(value)) {
      return Object.entries(value).flatMap(([name, inside]) =>
        leavesOf(inside, '').map((leaf) => ({ path: `${key}.${name}.${leaf.path}`, setting: leaf.setting })),
      );
    }
    return leavesOf(value, below);
  });
}

function isSection(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
