import { signal } from '@preact/signals';

/**
 * The only reading of a clock in the page. Ages and countdowns go by the server's time: the browser's clock
 * may be wrong, and in a demo the server's runs faster than life.
 */
export const localNow = (): number => performance.now();

const server = { at: Date.now(), heardAt: localNow(), speed: 1, isSilent: false };

/** The server's time, about twice a second; whoever shows an age reads it. */
export const now = signal(server.at);

const TICK_MS = 500;

export function serverSaid(at: number, speed: number = server.speed): void {
  server.at = at;
  server.heardAt = localNow();
  server.speed = speed;
  server.isSilent = false;
  tick();
}

/** What the server would say by now is not known: ages stop growing until it speaks again. */
export function serverIsSilent(): void {
  server.isSilent = true;
}

function tick(): void {
  if (!server.isSilent) now.value = server.at + (localNow() - server.heardAt) * server.speed;
}

export function startClock(): void {
  setInterval(tick, TICK_MS);
}
