import type { ScreenMarks } from '../shared/screen.ts';

/** As observed with version 0.61.0. Its prompt was not recorded, so that no screen counts as idle: nothing is typed. */
export const screen: ScreenMarks = {
  busy: { screen: ['esc to cancel'], title: ['Working…'] },
  idle: {},
  asking: { title: ['Action Required'] },
  prompts: [],
};
