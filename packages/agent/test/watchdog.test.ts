import { FREEZE_EXIT_CODE, OptionError, startWatchdog } from '@holter/agent';
import { describe, expect, it } from 'vitest';
import { fixture, run, sleep, together, until } from './kit.ts';

const texts = (lines: readonly { readonly text: string }[]): string =>
  lines.map(({ text }) => text).join('\n');

describe('the watchdog thread', () => {
  together('ends the process by its own exit code if the policy says so', async () => {
    const { lines, ended } = run(fixture('spin-on-ping.mjs'), ['exit']);
    expect(await ended).toEqual({ code: FREEZE_EXIT_CODE, signal: null });
    expect(texts(lines)).toMatch(/still blocked after 6\.0 s; exit code 86/);
  });

  together('says when the loop is back, and where it hung', async () => {
    const { lines, ended } = run(fixture('block-for.mjs'), ['script', '6000']);
    expect((await ended).code).toBe(0);
    const said = texts(lines);
    expect(said.match(/event-loop-freeze/g)).toHaveLength(1);
    expect(said).toMatch(/event-loop-freeze: .* in calculate \(/);
    expect(said).toMatch(/event-loop-back: .* after \d+\.\d s/);
    expect(said).toMatch(/thaw calculate \(/);
  });

  together('names a loop in native code without its place, and does it no harm', async () => {
    const { lines, ended } = run(fixture('block-for.mjs'), ['native', '6000']);
    expect((await ended).code).toBe(0);
    expect(texts(lines)).toMatch(/event-loop-freeze: .* at an unknown place/);
    expect(texts(lines)).toMatch(/done/);
  });

  together('does not accuse a loop that is busy for less', async () => {
    const { lines, ended } = run(fixture('block-for.mjs'), ['script', '3000']);
    await ended;
    expect(texts(lines)).toBe('done');
  });

  together('does not accuse a process that was suspended', async () => {
    const { child, lines, ended } = run(fixture('ticks.mjs'));
    await until(() => lines.length > 0, 5_000, 'it is up');
    await sleep(1_000);
    child.kill('SIGSTOP');
    await sleep(5_000);
    child.kill('SIGCONT');
    expect((await ended).code).toBe(0);
    expect(texts(lines)).toBe('up');
  });

  together('does not accuse a process at a breakpoint', async () => {
    const { lines, ended } = run(fixture('at-breakpoint.mjs'));
    expect((await ended).code).toBe(0);
    expect(texts(lines)).not.toMatch(/event-loop-freeze/);
  });

  together('keeps no process alive, nor do monitor and client', async () => {
    const { lines, ended } = run(fixture('short.mjs'));
    expect((await ended).code).toBe(0);
    expect(texts(lines)).toBe('');
  });

  it('refuses options that make no sense', () => {
    expect(() => startWatchdog({ freezeAfterMs: 10 })).toThrow(OptionError);
    expect(() => startWatchdog({ exitAfterMs: 1_000 })).toThrow('more than freezeAfterMs');
    expect(() => startWatchdog({ freezeAfter: 4_000 } as object)).toThrow('no option freezeAfter');
  });
});
