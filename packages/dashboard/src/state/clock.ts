import { signal } from '@preact/signals';

/**
 * The only file of the page that reads a clock. Ages and countdowns use the server's time: the browser's clock may
 * be wrong, and in a demo the server's time runs faster.
 */
export const localNow = (): number => performance.now();

const server = { at: Date.now(), heardAt: localNow(), speed: 1, isSilent: false };

/** The server's time, updated twice a second; components that show an age read it. */
export const now = signal(server.at);

const TICK_MS = 500;

export function serverSaid(at: number, speed: number = server.speed): void {
  server.at = at;
  server.heardAt = localNow();
  server.speed = speed;
  server.isSilent = false;
  tick();
}

/** The connection is lost: ages stop growing until the server is heard again. */
export function serverIsSilent(): void {
  server.isSilent = true;
}

function tick(): void {
  if (!server.isSilent) now.value = server.at + (localNow() - server.heardAt) * server.speed;
}

export function startClock(): void {
  setInterval(tick, TICK_MS);
}
