import { ALIASES, explain } from '../policy/index.ts';
import type { Config } from './load.ts';

/** One setting as it holds for one agent, and who said so. */
export type EffectiveSetting = {
  readonly path: string;
  readonly value: unknown;
  /** `default`, `profile background`, `config`, `group …`, `agent …`. */
  readonly from: string;
  /** `file:line` of the operator's word; null for what Holter ships. */
  readonly place: string | null;
};

/** Everything that holds for an agent of this role, group and name, with where each value came from. */
export function effectiveSettings(
  { policies, placeOf }: Config,
  who: { readonly role: string; readonly agentId: string; readonly group?: string },
): readonly EffectiveSetting[] {
  return explain(policies, who.role, who.agentId, who.group).map(({ path, value, from }) => {
    const place = from === 'default' ? null : placeWritten(path, from, placeOf);
    return { path, value, from, place: place && `${place.file}:${place.line}` };
  });
}

/** An override is written below its name. Some settings have a second name. */
function placeWritten(path: string, from: string, placeOf: Config['placeOf']): ReturnType<Config['placeOf']> {
  const [word = '', name = ''] = splitOnce(from);
  const prefix = word === 'config' ? '' : `${word}s.${name}.`;
  const [alias] = Object.entries(ALIASES).find(([, key]) => key === path) ?? [];
  return placeOf(`${prefix}${path}`) ?? (alias === undefined ? null : placeOf(`${prefix}${alias}`));
}

function splitOnce(text: string): readonly string[] {
  const space = text.indexOf(' ');
  return space === -1 ? [text] : [text.slice(0, space), text.slice(space + 1)];
}
