import type { ScreenMarks } from '../shared/screen.ts';

/**
 * As noted with version 0.166.0; `fixtures/screens` has the noted words, not whole screens. Idle is a title without a
 * spinner, which is no mark, and its prompt was not recorded: nothing is typed.
 */
export const screen: ScreenMarks = {
  busy: { screen: ['esc to interrupt'] },
  idle: {},
  asking: { title: ['Action Required'] },
  prompts: [],
  hasEscape: true,
};
