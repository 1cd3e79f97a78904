import { describe, expect, it } from 'vitest';
import { Breakers } from '../src/client/breakers.ts';

type Ask = ConstructorParameters<typeof Breakers>[0];

/** A server of breakers that says what it is told to say, and a clock that is set by hand. */
class Desk {
  now = 0;
  isAway = false;
  state = 'CLOSED';
  answer: Readonly<Record<string, unknown>> = { kind: 'permit', generation: 4, permitId: 0 };
  readonly asked: string[] = [];
  readonly breakers = new Breakers(
    (path) => this.reply(path),
    () => this.now,
  );

  private async reply(path: string): Promise<Awaited<NonNullable<ReturnType<Ask>>>> {
    this.asked.push(path);
    if (this.isAway) return { kind: 'later', retryAfterMs: 0, code: 'unreachable', message: 'away' };
    const body = { breaker: { state: this.state }, answers: [this.answer] };
    return { kind: 'taken', body, refusals: [] };
  }
}

describe('an answer of a breaker', () => {
  it('is good for as long as the caller says, and no longer', async () => {
    const world = new Desk();
    expect(await world.breakers.acquire('x', 100)).toMatchObject({ kind: 'permit', generation: 4 });
    expect(await world.breakers.acquire('x', 100)).toMatchObject({ kind: 'permit', generation: 4 });
    expect(world.asked).toHaveLength(1);
    // A caller that accepts no age asks the server.
    await world.breakers.acquire('x');
    expect(world.asked).toHaveLength(2);
  });

  it('is asked for again when it is too old', async () => {
    const world = new Desk();
    await world.breakers.acquire('x', 100);
    world.now = 100;
    await world.breakers.acquire('x', 100);
    expect(world.asked).toHaveLength(1);
    world.now = 101;
    await world.breakers.acquire('x', 100);
    expect(world.asked).toHaveLength(2);
  });

  it('is kept when it refuses all callers, and not when it let one through', async () => {
    const world = new Desk();
    world.answer = { kind: 'refused', because: 'open', retryAt: 9 };
    await world.breakers.acquire('x', 100);
    expect(await world.breakers.acquire('x', 100)).toMatchObject({ kind: 'refused' });
    expect(world.asked).toHaveLength(1);
    world.answer = { kind: 'permit', generation: 5, permitId: 1 };
    await world.breakers.acquire('y', 100);
    await world.breakers.acquire('y', 100);
    expect(world.asked).toHaveLength(3);
  });

  it('is forgotten when a report has opened the breaker', async () => {
    const world = new Desk();
    const fail = world.breakers.guard('x', () => Promise.reject(new Error('down')), 1_000);
    world.state = 'OPEN';
    await expect(fail()).rejects.toThrow('down');
    await Promise.resolve();
    await expect(fail()).rejects.toThrow('down');
    expect(world.asked.filter((path) => path.endsWith('/acquire'))).toHaveLength(2);
  });
});

describe('when the server does not answer', () => {
  it('a call is made all the same', async () => {
    const world = new Desk();
    world.isAway = true;
    expect(await world.breakers.guard('external_api', () => 'called')()).toBe('called');
  });

  it('nothing is started', async () => {
    const world = new Desk();
    world.isAway = true;
    let starts = 0;
    const start = world.breakers.guard('recovery_attempt', () => {
      starts += 1;
    });
    await expect(start()).rejects.toMatchObject({ code: 'breaker_open', breaker: 'recovery_attempt' });
    expect(starts).toBe(0);
  });
});
