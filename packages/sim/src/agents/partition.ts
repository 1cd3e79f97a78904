/**
 * What is missing on the way between an agent and Holter. `words`: what the agent says does not arrive, while
 * Holter's orders still reach it. `answers`: its words arrive, but neither replies nor orders come back.
 */
export type Partition = 'none' | 'both' | 'words' | 'answers';

/** How a network fails: mostly altogether, sometimes in one direction only (a firewall rule, a full queue). */
export const PARTITIONS: readonly Partition[] = ['both', 'both', 'words', 'answers'];

export const passesToHolter = (cut: Partition): boolean => cut === 'none' || cut === 'answers';
export const passesToAgent = (cut: Partition): boolean => cut === 'none' || cut === 'words';
