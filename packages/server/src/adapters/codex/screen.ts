import type { ScreenMarks } from '../shared/screen.ts';

/** Its prompt was not recorded: without an idle mark no screen counts as idle, so that nothing is typed into it. */
export const screen: ScreenMarks = {
  busy: { screen: ['esc to interrupt'] },
  idle: {},
  asking: { title: ['Action Required'] },
  prompts: [],
};
