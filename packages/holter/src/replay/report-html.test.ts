import { expect, test } from 'vitest';
import { defaultPrice } from './price.ts';
import { htmlFoot, htmlHead, htmlRun } from './report-html.ts';
import { beginRun } from './run-report.ts';
import { addStep, emptyStrip, squeeze } from './strip.ts';

test('what an agent wrote cannot become markup', () => {
  const report = {
    ...beginRun('<script>alert(1)</script>', 'a', 'f', null),
    steps: 1,
    worst: 'warn' as const,
    findings: [
      {
        kind: 'same-error',
        step: 0,
        severity: 'warn' as const,
        evidence: '"><img src=x>',
        steps: ['0 <b>ls</b>'],
      },
    ],
  };
  const page =
    htmlHead('t') + htmlRun(report, defaultPrice) + htmlFoot({ runs: 1, warn: 1, act: 0, badLines: 0 }, 0);
  expect(page).not.toContain('<script>alert');
  expect(page).not.toContain('<img');
  expect(page).not.toMatch(/https?:\/\//);
});

test('the strip is bounded and keeps the worst', () => {
  let strip = emptyStrip;
  for (let index = 0; index < 100_000; index += 1)
    strip = addStep(strip, index === 77_777 ? 'act' : 'none', true);
  expect(strip.cells.length).toBeLessThanOrEqual(480);
  expect(strip.cells.reduce((sum, { steps }) => sum + steps, 0)).toBe(100_000);
  expect(squeeze(strip, 40).some(({ level }) => level === 'act')).toBe(true);
});
