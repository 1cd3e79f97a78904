import type { Idle } from '@holter/server/adapters';
import type { ProcessLook } from '@holter/server/process';

/**
 * Subtracts a program's idle activity from the counters of the operating system. The rules call a process flat when
 * its counters do not change, but those of a runtime always do: a hung agent may still read a hundred bytes a second
 * because of its own timers. Measured over a window, because counters move in coarse steps.
 */
export class IdleFloor {
  private readonly idle: Idle;
  private readonly windowMs: number;
  private began: { readonly at: number; readonly look: ProcessLook } | null = null;
  private cpuMs = 0;
  private ioBytes = 0;

  constructor(idle: Idle, windowMs: number) {
    this.idle = idle;
    this.windowMs = windowMs;
  }

  /** The same reading without the idle activity. */
  above(look: ProcessLook, now: number): ProcessLook {
    const { began } = this;
    const elapsedMs = began ? now - began.at : 0;
    if (!began || elapsedMs >= this.windowMs) {
      const cpuMs = look.cpuMs - (began?.look.cpuMs ?? 0);
      const ioBytes = look.ioBytes - (began?.look.ioBytes ?? 0);
      if (cpuMs > elapsedMs * this.idle.cpuShare) this.cpuMs += cpuMs;
      if (ioBytes > (elapsedMs / 1_000) * this.idle.bytesPerSecond) this.ioBytes += ioBytes;
      this.began = { at: now, look };
    }
    return { ...look, cpuMs: this.cpuMs, ioBytes: this.ioBytes };
  }
}
