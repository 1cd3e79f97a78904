import { CHANNELS, connectChannels } from '../channels/index.ts';
import type { Store } from '../store/store.ts';
import { Alerts, type AlertsContext } from './alerts.ts';

type Parts = Omit<AlertsContext, 'executor'> & { readonly store: Pick<Store, 'listEffects'> };

/** Connects an engine to people: alerts that are sent, and notices that wait to be read. */
export function connectAlerts(
  parts: Parts,
): { readonly alerts: Alerts } & ReturnType<typeof connectChannels> {
  const { store, clock, engine } = parts;
  const alerts: Alerts = new Alerts({ ...parts, executor: () => people.executor });
  const people = connectChannels({ channels: CHANNELS, alerts: alerts.side, store, clock, engine });
  return { alerts, ...people };
}
