import type { ScreenMarks } from '../shared/screen.ts';

/**
 * As observed with version 1.18.33. An idle screen has no mark of its own, and its prompt was not recorded: nothing is
 * typed.
 */
export const screen: ScreenMarks = {
  busy: { screen: ['esc interrupt'] },
  idle: {},
  asking: { screen: ['Permission required'] },
  prompts: [],
};
