import type { ProcessLook } from '@holter/server/process';
import { expect, test } from 'vitest';
import { IdleFloor } from './idle-floor.ts';

const look = (cpuMs: number, ioBytes: number): ProcessLook => ({
  kind: 'process',
  state: 'running',
  cpuMs,
  ioBytes,
  childrenAtWork: 0,
  memoryBytes: 1,
});

test('ticking stands still, and work counts as a whole', () => {
  const floor = new IdleFloor({ cpuShare: 0.03, bytesPerSecond: 512 }, 5_000);
  const told = (seconds: number, cpuMs: number, ioBytes: number) => {
    const { cpuMs: cpu, ioBytes: io } = floor.above(look(cpuMs, ioBytes), seconds * 1_000);
    return [cpu, io];
  };
  expect(told(0, 2_550, 910_486)).toEqual([2_550, 910_486]);
  // As measured: 40 ms and 440 bytes in five seconds.
  expect(told(5, 2_590, 910_926)).toEqual([2_550, 910_486]);
  expect(told(7, 2_600, 911_100)).toEqual([2_550, 910_486]);
  expect(told(10, 2_630, 911_366)).toEqual([2_550, 910_486]);
  expect(told(15, 3_630, 999_999)).toEqual([3_550, 999_119]);
});
