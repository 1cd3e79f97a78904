/** Processes: who they are, how they are, and how they end. */
export { killGroup } from './kill-group.ts';
export * from './process-table.ts';
export { ProcessTree } from './process-tree.ts';
export { takeSpawnKey } from './spawn-key.ts';
export { startedAtOf } from './started-at.ts';
export { maybeContinue, receiptOfStop, type Stopped, type StopSignal, stopTree } from './stop-tree.ts';
export { systemHostId, systemTable } from './system-table.ts';
export { type ProcessLook, TreeSensor } from './tree-sensor.ts';
