/**
 * Who gave an order. `person`: given now, and nothing holds it back. `policy`: valid as long as the finding that it
 * names holds. `run`: from the command line that started a run; it needs no finding, but waits for the fleet as
 * Holter's own decisions do.
 */
export type OrderSource = 'person' | 'policy' | 'run';
