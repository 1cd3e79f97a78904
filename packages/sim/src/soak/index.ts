/** Seeds without end, checked and counted. Start at `Soak`. */

export { SEED_KINDS } from './run-seed.ts';
export { seedThread } from './seed-thread.ts';
export { type SeedRunner, Soak, type SoakLimits, type SoakTotals } from './soak.ts';
export { progressLine, SOAK_EXIT, soakExit, soakJson, soakReport, violationLines } from './soak-report.ts';
