import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

/** A server without agents has some 250 open while its modules load. */
const FILES_MIN = 400;

/** Throws EMFILE if a server could not open enough files; later it would fail in any of many places. */
export function probeFiles(): void {
  const opened: number[] = [];
  try {
    while (opened.length < FILES_MIN) opened.push(openSync(devNull, 'r'));
  } finally {
    for (const file of opened) closeSync(file);
  }
}
