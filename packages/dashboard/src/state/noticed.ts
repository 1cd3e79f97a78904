import { useEffect } from 'preact/hooks';
import { get } from './api.ts';
import { mayDecide } from './session.ts';

/** Incidents that are shown to somebody who may decide count as noticed; this says so, once for each set. */
export function useNoticed(incidentIds: readonly string[]): void {
  const ids = incidentIds.join(' ');
  useEffect(() => {
    if (ids !== '' && mayDecide()) void get('/v1/incidents', { limit: 200 }).catch(() => undefined);
  }, [ids]);
}
