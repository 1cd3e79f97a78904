export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/**
 * How a process of the chain really is. `wedged` neither reports nor uses CPU time, and no message helps it; `sleepy`
 * is the same until it is woken. `limited` is the same until its usage limit has reset. `slow` works and reports nothing.
 * `spinning` looks the same, for hours, and does nothing. `asking` waits for a person. `back` works again, after a while
 * in which it did not, and has not reported yet.
 */
type Condition =
  | 'well'
  | 'stopped'
  | 'wedged'
  | 'sleepy'
  | 'limited'
  | 'slow'
  | 'spinning'
  | 'asking'
  | 'back';

/** One process as it really is; the rules see it only by looks. */
export class TrueProcess {
  readonly incarnation: string;
  /** By the wall clock at its start. */
  readonly startedAt: number;
  condition: Condition = 'well';
  /** When it gets well by itself, in true time. */
  healsAt = Number.POSITIVE_INFINITY;
  cpuMs = 0;
  /** When it was woken while it was asleep or at its usage limit, in true time. */
  wokenAt: readonly number[] = [];

  constructor(incarnation: string, startedAt: number) {
    this.incarnation = incarnation;
    this.startedAt = startedAt;
  }

  become(condition: Condition, healsAt = Number.POSITIVE_INFINITY): void {
    this.condition = condition;
    this.healsAt = healsAt;
    this.wokenAt = [];
  }

  /** Nothing else gets it to work again. */
  get isLost(): boolean {
    return this.condition === 'stopped' || this.condition === 'wedged';
  }
}

/** The machine: true time, the time for which it was awake, and the wall clock that may be set. */
export class Machine {
  now = 0;
  awake = 0;
  /** It is not installed, or its socket is gone; no pane can be there either. */
  isWithoutTmux = false;
  /** It does not answer: no session can be seen, started or ended. */
  isTmuxHung = false;
  private offset = 1_800_000_000_000;
  private starts = 0;

  get wall(): number {
    return this.now + this.offset;
  }

  pass(ms: number): void {
    this.now += ms;
    this.awake += ms;
  }

  setClock(byMs: number): void {
    this.offset += byMs;
  }

  start(name: string): TrueProcess {
    this.starts += 1;
    return new TrueProcess(`${name}.${this.starts}`, this.wall);
  }
}
