import { milliseconds } from '@holter/core';

/** Claude Code gives up a model call by itself after this long, without a sign in between (measured). */
export const MODEL_TIMEOUT_MS = milliseconds(300_000);
