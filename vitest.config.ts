import { defineConfig } from 'vitest/config';

// Imports between packages resolve through their `exports` to dist, as they do for a user;
// `npm test` builds first. A test beside its file imports that file's source.
export default defineConfig({
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'packages/*/test/**/*.test.ts',
      'scenarios/**/*.test.ts',
      'tests/**/*.test.ts',
      'e2e/**/*.test.ts',
    ],
    passWithNoTests: true,
  },
});
