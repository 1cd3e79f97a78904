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
