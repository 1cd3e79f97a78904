import type { ScreenMarks } from '../shared/screen.ts';

/**
 * As noted with version 0.61.0; `fixtures/screens` has the noted words, not whole screens. Its prompt was not recorded:
 * nothing is typed, although its title tells when it is idle.
 */
export const screen: ScreenMarks = {
  busy: { screen: ['esc to cancel'], title: ['Working…'] },
  idle: { title: ['◇ Ready'] },
  asking: { title: ['Action Required'] },
  prompts: [],
  hasEscape: true,
};
