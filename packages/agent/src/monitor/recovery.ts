import type { FullConfig } from './config.ts';
import type { DisconnectionType, MonitoredAgent } from './events.ts';
import type { HealthRecord } from './health-record.ts';

type RecoverySteps = {
  readonly recovering: (record: HealthRecord, attempt: number) => void;
  readonly recovered: (record: HealthRecord, attempt: number, durationMs: number) => void;
  readonly critical: (
    record: HealthRecord,
    type: DisconnectionType,
    attempts: number,
    because: string,
  ) => void;
  /** The host says that the agent is back: take the new emitter, if there is one, and ping it. */
  readonly resume: (record: HealthRecord, agent: MonitoredAgent | null) => void;
  readonly now: () => number;
};

type Course = {
  attempt: number;
  startedAt: number;
  timer: NodeJS.Timeout | null;
  recoveredAt: number | null;
};

/** After this long in good health, a failure starts a new count of recovery attempts. */
const STABLE_MS = 60_000;

/**
 * Recovers lost agents by the strategy that the host chose. The host's own function does the work; this class
 * decides how often, how soon, and when to call a person. An agent behind a partition may be alive, so it is
 * never restarted or replaced: that could run it twice.
 */
export class Recovery {
  private readonly config: FullConfig;
  private readonly steps: RecoverySteps;
  private readonly courses = new Map<HealthRecord, Course>();

  constructor(config: FullConfig, steps: RecoverySteps) {
    this.config = config;
    this.steps = steps;
  }

  lost(record: HealthRecord, type: DisconnectionType): void {
    const { strategy, recover } = record.about;
    if (strategy === 'none') return;
    const attempts = this.courses.get(record)?.attempt ?? 0;
    if (strategy === 'alert') return this.steps.critical(record, type, attempts, 'the strategy is alert');
    if (type === 'network-partition')
      return this.steps.critical(record, type, attempts, 'it may still be alive elsewhere');
    if (recover) this.next(record, type, 'lost again');
  }

  /** The agent was heard again, because of a recovery or by itself. */
  heard(record: HealthRecord): void {
    const course = this.courses.get(record);
    if (!course || course.recoveredAt !== null) return;
    clearTimer(course);
    course.recoveredAt = this.steps.now();
    this.steps.recovered(record, course.attempt, course.recoveredAt - course.startedAt);
  }

  forget(record: HealthRecord): void {
    const course = this.courses.get(record);
    if (course) clearTimer(course);
    this.courses.delete(record);
  }

  private next(record: HealthRecord, type: DisconnectionType, why: string): void {
    const { maxRecoveryAttempts, recoveryBackoff } = this.config;
    const now = this.steps.now();
    const course = this.courses.get(record) ?? { attempt: 0, startedAt: now, timer: null, recoveredAt: null };
    this.courses.set(record, course);
    if (course.recoveredAt !== null) {
      if (now - course.recoveredAt > STABLE_MS) course.attempt = 0;
      course.recoveredAt = null;
      course.startedAt = now;
    }
    if (course.attempt >= maxRecoveryAttempts) {
      // The attempts are used up: if the agent is heard again, that is not a recovery of this class.
      course.recoveredAt = now;
      return this.steps.critical(record, type, course.attempt, `recovery did not help: ${why}`);
    }
    course.attempt += 1;
    const waitMs = course.attempt === 1 ? 0 : recoveryBackoff * 2 ** (course.attempt - 2);
    this.after(course, waitMs, () => void this.attempt(record, type, course));
  }

  private async attempt(record: HealthRecord, type: DisconnectionType, course: Course): Promise<void> {
    const { attempt } = course;
    this.steps.recovering(record, attempt);
    const outcome = await this.run(record, type, attempt);
    // Unregistered, or heard again by itself, while the host's function was running.
    if (this.courses.get(record) !== course || course.recoveredAt !== null) return;
    if (outcome.kind === 'failed') return this.next(record, type, outcome.because);
    this.steps.resume(record, outcome.agent);
    if (course.recoveredAt !== null) return;
    const { maxMissedBeats, heartbeatInterval } = this.config;
    this.after(course, record.link.startupMs + maxMissedBeats * heartbeatInterval, () =>
      this.next(record, type, 'it was not heard afterwards'),
    );
  }

  private async run(record: HealthRecord, type: DisconnectionType, attempt: number): Promise<Outcome> {
    const { strategy, recover, name, namespace } = record.about;
    if (!recover || strategy === 'alert' || strategy === 'none')
      return { kind: 'failed', because: 'there is no function to recover it' };
    const { recoveryTimeout } = this.config;
    let timer: NodeJS.Timeout | undefined;
    try {
      const work = Promise.resolve(recover({ agent: name, namespace, type, strategy, attempt }));
      const late = new Promise<'late'>((resolve) => {
        timer = setTimeout(resolve, recoveryTimeout, 'late');
        timer.unref();
      });
      const result = await Promise.race([work, late]);
      if (result === 'late') return { kind: 'failed', because: `it took longer than ${recoveryTimeout} ms` };
      if (!result && strategy === 'replace') return { kind: 'failed', because: 'there was no replacement' };
      return { kind: 'done', agent: result ?? null };
    } catch (error) {
      return { kind: 'failed', because: error instanceof Error ? error.message : String(error) };
    } finally {
      clearTimeout(timer);
    }
  }

  private after(course: Course, waitMs: number, then: () => void): void {
    clearTimer(course);
    course.timer = setTimeout(then, waitMs);
    course.timer.unref();
  }
}

type Outcome =
  | { readonly kind: 'done'; readonly agent: MonitoredAgent | null }
  | { readonly kind: 'failed'; readonly because: string };

function clearTimer(course: Course): void {
  if (course.timer) clearTimeout(course.timer);
  course.timer = null;
}
