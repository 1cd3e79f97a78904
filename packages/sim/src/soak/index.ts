/** Seeds without end, checked and counted. Start at `Soak`. */
export { type Lane, Soak, type SoakLimits, type SoakTotals } from './soak.ts';
export { progressLine, SOAK_EXIT, soakExit, soakJson, soakReport, violationLines } from './soak-report.ts';
export { threadLane } from './seed-thread.ts';
