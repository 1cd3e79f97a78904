/** The shape of tidy-exceptions.json: what may break a rule of the shell, and why. */
export type Exceptions = {
  /** At most one file per package reads the clock or rolls dice; all others get it passed in. */
  readonly clockAndDice: readonly { readonly file: string; readonly because: string }[];
  /** Expressions whose time grows with the square of their text, which is short. */
  readonly slowExpressions: readonly { readonly expression: string; readonly because: string }[];
  /** Files that build regular expressions at run time. */
  readonly builtExpressions: readonly { readonly file: string; readonly because: string }[];
  /** Files over the cap. The list may only shrink, and a listed file may not grow past linesMax. */
  readonly longFiles: readonly {
    readonly file: string;
    readonly linesMax: number;
    readonly because: string;
  }[];
};
