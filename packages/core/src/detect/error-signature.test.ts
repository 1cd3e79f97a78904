import { expect, test } from 'vitest';
import { readError } from './error-signature.ts';

test.each([
  "cp: error writing 'a': No space left on device",
  'tar: a: Cannot write: No space left on device',
  'curl: (6) Could not resolve host: registry.example',
  'ssh: connect to host build port 22: No route to host',
  'E: Unable to locate package frobnicate',
  'Error: listen EADDRINUSE: address already in use :::3000',
  'Host key verification failed.',
])('%s: the fault is around the work', (output) => {
  expect(readError(output, '')).toMatchObject({ isEnvironment: true });
});

test.each([
  "TypeError: Cannot read properties of undefined (reading 'name')",
  'error: expected 3 spaces, found 2',
  'FAIL src/a.test.ts > adds: expected 4, got 5',
])('%s: the fault is in the work', (output) => {
  expect(readError(output, '')).toMatchObject({ isEnvironment: false });
});
