/**
 * What is missing on the way between an agent and Holter. `words`: what the agent says does not arrive, while
 * Holter's orders still reach it. `answers`: its words arrive, but neither replies nor orders come back.
 */
export type Cut = 'none' | 'both' | 'words' | 'answers';

/** How a network fails: mostly altogether, sometimes in one direction only (a firewall rule, a full queue). */
export const CUTS: readonly Cut[] = ['both', 'both', 'words', 'answers'];

export const letsWordsPass = (cut: Cut): boolean => cut === 'none' || cut === 'answers';
export const letsAnswersPass = (cut: Cut): boolean => cut === 'none' || cut === 'words';
