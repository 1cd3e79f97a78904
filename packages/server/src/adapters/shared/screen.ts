/** Words on the screen, or in the title of the terminal. */
export type Marks = { readonly screen?: readonly string[]; readonly title?: readonly string[] };

/**
 * What a terminal shows while an agent works, waits for its next prompt, or asks a person. Plain words, found anywhere
 * in the last lines. A screen that shows none of them is unknown; idle words count only beside a prompt, an idle title
 * also without one.
 */
export type ScreenMarks = {
  readonly busy: Marks;
  readonly idle: Marks;
  readonly asking: Marks;
  /** What stands before the text that a person types; the rest of an empty prompt is blank. */
  readonly prompts: readonly string[];
  /** One Escape cancels a request to its model, and what was sent meanwhile follows at once. */
  readonly hasEscape?: true;
};
