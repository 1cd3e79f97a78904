import { readStateFile } from './state-file.ts';
import type { Town } from './town.ts';

/** One link of the chain, as `daemon/state.json` shows it to people. */
type ShownLink = {
  readonly name: string;
  /** In a crash loop. */
  readonly isLatched: boolean;
  /** Who has shut it down on purpose, and why; null if nobody has. */
  readonly downBy: string | null;
};

export function linksIn({ links }: Readonly<Record<string, unknown>>): readonly ShownLink[] {
  if (typeof links !== 'object' || links === null) return [];
  return Object.entries(links as Record<string, Record<string, unknown> | null>).map(([name, link]) => {
    const { is_latched, shut_down_by: by, reason } = link ?? {};
    const why = typeof reason === 'string' && reason !== '' ? `: ${reason}` : '';
    return {
      name: name.replace(/^agent:/, ''),
      isLatched: is_latched === true,
      downBy: typeof by === 'string' ? `${by}${why}` : null,
    };
  });
}

/** Who has shut this link down on purpose, as far as the daemon has written it down; null if nobody has. */
export async function downByOf(town: Town, now: () => number, link: string): Promise<string | null> {
  const reading = await readStateFile(town.daemonStateFile, now);
  const links = reading.kind === 'read' ? linksIn(reading.state) : [];
  return links.find(({ name }) => name === link)?.downBy ?? null;
}
