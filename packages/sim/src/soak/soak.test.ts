import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { defaultScenario } from '../base/scenario.ts';
import { drawScenario } from './draw-scenario.ts';
import type { SeedResult } from './run-seed.ts';
import { runWorld } from './run-world-seed.ts';
import { NOTHING_YET, type SeedRunner, Soak, type SoakLimits, withSeed } from './soak.ts';
import { progressLine, soakExit, soakReport } from './soak-report.ts';

const tiny = (seed: number): SeedResult =>
  runWorld({ ...defaultScenario, agents: 6, hours: 1, haste: 4, seed });

/** A runner without a thread. */
const runner = (run: (seed: number) => SeedResult): SeedRunner => ({
  run: (seed) => Promise.resolve(run(seed)),
  stop: () => Promise.resolve(),
});

const soak = (runners: readonly SeedRunner[], limits: SoakLimits, secondsNow = () => 0) =>
  new Soak(runners, limits, { secondsNow, progressed: () => {} });

const clean: SeedResult = { agentHours: 10, events: 5, violations: [], wrongTerminations: 0, coverage: {} };

describe('the scenario of a seed', () => {
  const all = Array.from({ length: 400 }, (_, seed) => drawScenario(seed));
  const drawn = all.filter(({ only }) => only.length === 0);

  test('is a storm of loops now and then, and a siege in one of ten', () => {
    const sieges = all.filter(({ only }) => only.includes('braker'));
    expect(sieges).toHaveLength(40);
    const storms = all.length - drawn.length - sieges.length;
    expect(storms).toBeGreaterThan(3);
    expect(storms).toBeLessThan(25);
  });

  test('is always the same one', () => {
    expect(drawScenario(7)).toEqual(drawScenario(7));
  });

  test('has a fleet of ten to five hundred, for some hours, mostly with all faults', () => {
    const sizes = drawn.map(({ agents }) => agents);
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(10);
    expect(Math.min(...sizes)).toBeLessThan(12);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(500);
    expect(Math.max(...sizes)).toBeGreaterThan(450);
    for (const { hours, haste } of drawn) {
      expect(hours).toBeGreaterThanOrEqual(3);
      expect(hours).toBeLessThanOrEqual(24);
      expect(haste).toBeGreaterThanOrEqual(1);
      expect(haste).toBeLessThanOrEqual(8);
    }
    const whole = drawn.filter(({ faults }) => faults.length === defaultScenario.faults.length).length;
    expect(whole / drawn.length).toBeGreaterThan(0.55);
    expect(whole / drawn.length).toBeLessThan(0.8);
  });
});

describe('a soak', () => {
  test('of two seeds adds up what each of them found and exercised', async () => {
    const totals = await soak([runner(tiny)], { firstSeed: 3, seeds: 2 }).run();
    expect(totals).toEqual(withSeed(withSeed(NOTHING_YET, 3, tiny(3)), 4, tiny(4)));
    expect(totals).toMatchObject({ seeds: 2, agentHours: 12, violations: [] });
    expect(totals.coverage['behaviour: steady-worker']).toBeGreaterThan(0);
    expect(totals.coverage['signal: heartbeat']).toBeGreaterThan(100);
  });

  test('gives each seed to one runner only', async () => {
    const seen: number[] = [];
    const noting = runner((seed) => {
      seen.push(seed);
      return clean;
    });
    await soak([noting, noting], { firstSeed: 1, seeds: 9 }).run();
    expect(seen.sort((left, right) => left - right)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('ends after its time, or its agent-hours', async () => {
    let seconds = 0;
    const ticking = runner(() => {
      seconds += 60;
      return clean;
    });
    expect(await soak([ticking], { firstSeed: 1, seconds: 150 }, () => seconds).run()).toMatchObject({
      seeds: 3,
    });
    expect(await soak([ticking], { firstSeed: 1, agentHours: 45 }).run()).toMatchObject({ agentHours: 50 });
  });

  test('counts only whole runs when it is stopped', async () => {
    const stopping: SeedRunner = {
      run: async (seed) => {
        if (seed < 3) return clean;
        await running.stop();
        throw new Error('the thread ended in the middle of a seed');
      },
      stop: () => Promise.resolve(),
    };
    const running = soak([stopping], { firstSeed: 1 });
    expect(await running.run()).toMatchObject({ seeds: 2 });
  });
});

describe('the command', () => {
  const script = fileURLToPath(new URL('../../../../scripts/sim-soak.mjs', import.meta.url));
  const run = (...args: string[]) => spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });

  test('explains itself, with examples', () => {
    const { status, stdout } = run('--help');
    expect(status).toBe(0);
    expect(stdout).toContain('npm run sim:soak -- --minutes 30');
  });

  test.each([
    ['--minutes', 'soon'],
    ['--seed', '1.5'],
    ['--fast', ''],
  ])('ends with 2 for %s %s', (...args) => {
    expect(run(...args.filter(Boolean))).toMatchObject({ status: 2, stdout: '' });
  });
});

describe('the report', () => {
  const broken: SeedResult = {
    ...clean,
    violations: [{ invariant: 8, what: 'x-1: once too often', again: 'npm run sim -- --seed 9' }],
  };

  test('says what broke, and the line that shows it again', () => {
    const totals = withSeed(NOTHING_YET, 9, broken);
    expect(soakReport(totals, 3)).toContain(
      'invariant 8 broken in seed 9: x-1: once too often\n  again: npm run sim -- --seed 9',
    );
    expect(soakExit(totals)).toBe(1);
  });

  test('calls what was never exercised a hole', () => {
    expect(soakExit(withSeed(NOTHING_YET, 1, clean))).toBe(3);
  });

  test('tells on the way how much, how fast and how long still', () => {
    const totals = { ...NOTHING_YET, seeds: 4, agentHours: 1_000 };
    expect(progressLine(totals, 10, { firstSeed: 1, agentHours: 31_000 })).toBe(
      '4 seeds, 1,000 agent-hours (100 per second), 0 violations, 5 min 0 s to go',
    );
  });
});
