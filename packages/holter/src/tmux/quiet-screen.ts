/** For how long a screen has shown nothing new while its agent works. */
export type QuietScreen = { readonly since: number; readonly lookedAt: number };

type WorkFacts = {
  readonly now: number;
  /** By its screen and by its own file; one alone is not enough. */
  readonly isBusy: boolean;
  /** New text on its screen, or a child process at work, since the last look. */
  readonly hasMoved: boolean;
};

/** A look that comes later than this says that nobody has looked: the machine was suspended, or its clock was set. */
const GAP_MS = 30_000;

/** Null while it does not work. */
export function nextQuiet(
  before: QuietScreen | null,
  { now, isBusy, hasMoved }: WorkFacts,
): QuietScreen | null {
  if (!isBusy) return null;
  const isWatched = before !== null && now >= before.lookedAt && now - before.lookedAt <= GAP_MS;
  return { since: isWatched && !hasMoved ? before.since : now, lookedAt: now };
}
