/**
 * Who ordered: a person now, whom nothing holds back; the policy, for as long as the finding that it named holds; or
 * the command line with which a run was started, which stands by itself, but waits for the fleet as Holter's own acts do.
 */
export type OrderSource = 'person' | 'policy' | 'run';
