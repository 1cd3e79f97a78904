/**
 * What is true of an agent, as its behaviour knows it:
 * `fine` works, waits rightly, or has nothing to do; `stuck` has work and will not get anywhere as it is;
 * `dead` ended without having finished; `ended` stopped on purpose.
 */
export type Truth = 'fine' | 'stuck' | 'dead' | 'ended';

/** What it is doing this very moment. */
export type Activity =
  | 'off'
  | 'starting'
  | 'thinking'
  | 'in-tool'
  | 'idle'
  | 'held'
  | 'looping'
  | 'flooding'
  | 'hung'
  | 'frozen';
