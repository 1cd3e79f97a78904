import type { AlertPage } from '@holter/server/wire';
import { get } from './api.ts';
import { useFresh } from './fresh.ts';

const LOOK_MS = 10_000;

/** Channels and what became of their last notices. */
export const useAlerts = () =>
  useFresh('alerts', (stop) => get<AlertPage>('/v1/alerts', {}, stop), LOOK_MS, LOOK_MS);
