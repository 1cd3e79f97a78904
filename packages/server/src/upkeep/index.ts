export { watchDatabase } from './database-watch.ts';
export { DeadManPing, type PingState } from './dead-man-ping.ts';
export { type EstopNote, EstopWatch } from './estop.ts';
export { BRAKE_LONG_MS, TROUBLES, type Trouble, troublesOf } from './troubles.ts';
