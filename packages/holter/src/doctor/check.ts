/** One line of `holter doctor`. */
export type Check = {
  readonly about: string;
  readonly isFine: boolean;
  readonly says: string;
  /** What to do when it is not fine. */
  readonly next?: string;
};
