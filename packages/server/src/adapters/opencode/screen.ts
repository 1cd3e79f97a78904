import type { ScreenMarks } from '../shared/screen.ts';

/**
 * As noted with version 1.18.33; `fixtures/screens` has the noted words, not whole screens. An idle screen has no mark of
 * its own, and its prompt was not recorded: nothing is typed. A request to its model ends by an abort through its API,
 * and takes a new prompt after that: a text that was sent before waits on.
 */
export const screen: ScreenMarks = {
  busy: { screen: ['esc interrupt'] },
  idle: {},
  asking: { screen: ['Permission required'] },
  prompts: [],
};
