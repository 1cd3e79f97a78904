import type { ScreenMarks } from '../shared/screen.ts';

/** Recorded with version 2.1.197; see `fixtures/screens`. While it asks, its title is that of an idle session. */
export const screen: ScreenMarks = {
  busy: { screen: ['esc to interrupt'] },
  idle: { screen: ['? for shortcuts'] },
  asking: { screen: ['Do you want to proceed?', 'Do you want to ', 'Esc to cancel'] },
  prompts: ['❯', '>'],
  hasEscape: true,
};
