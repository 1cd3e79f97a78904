import { defineConfig } from 'vitest/config';

// Imports between packages resolve through their `exports` to dist, as they do for a user;
// `npm test` builds first. A test beside its file imports that file's source.
/** Real servers and files whose tests depend on no time: they may run beside everything else. */
const TIMELESS = [
  'e2e/same-story.test.ts',
  'e2e/database.test.ts',
  'e2e/hostile-files.test.ts',
  'e2e/install.test.ts',
  'e2e/mcp.test.ts',
  'e2e/rolling-upgrade.test.ts',
];

/** Real parts whose tests count what happens in real time: they run one after the other, with nothing beside them. */
const TIMED = [
  'e2e/claude/loops.test.ts',
  'e2e/claude/restart.test.ts',
  'e2e/daemon/*.test.ts',
  'e2e/dashboard/live.test.ts',
  'e2e/late-ticks.test.ts',
  'e2e/readme-tour.test.ts',
];

/** Slow by nature, and never faster for a short time-out. */
const PATIENCE = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // A busy machine needs longer than a second to show what is right; what must be fast is measured.
  expect: { poll: { timeout: 10_000 } },
};

export default defineConfig({
  test: {
    passWithNoTests: true,
    projects: [
      {
        test: {
          name: 'rules',
          include: [
            'packages/*/src/**/*.test.ts',
            'packages/*/test/**/*.test.ts',
            'scenarios/**/*.test.ts',
            'tests/**/*.test.ts',
          ],
          globalSetup: 'tests/postgres/global-setup.ts',
          // Property tests and the simulator share the cores with everything else that runs.
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'timeless',
          include: TIMELESS,
          globalSetup: 'tests/postgres/global-setup.ts',
          ...PATIENCE,
        },
      },
      {
        test: {
          name: 'real-parts',
          include: ['e2e/**/*.test.ts'],
          exclude: [...TIMELESS, ...TIMED],
          globalSetup: 'tests/postgres/global-setup.ts',
          ...PATIENCE,
        },
      },
      {
        test: {
          name: 'timed',
          include: TIMED,
          ...PATIENCE,
        },
      },
    ],
  },
});
