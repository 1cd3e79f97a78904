import type { NextStepView } from '@holter/server/wire';
import { useEffect } from 'preact/hooks';
import { post } from './api.ts';
import { mayDecide } from './session.ts';

type Shown = { readonly incidentId: string; readonly next: NextStepView };

const AGAIN_MS = 2_000;

/**
 * Tells the server which incidents are shown to somebody who may decide. Repeats while the server says that they are
 * not seen: a later step has a notice of its own, and a request may come before the notice or fail.
 */
export function useNoticed(shown: readonly Shown[]): void {
  const ids = shown
    .filter(({ next }) => next.isUnseen)
    .map(({ incidentId }) => incidentId)
    .join(' ');
  useEffect(() => {
    if (ids === '' || !mayDecide()) return;
    const tell = (): void => {
      // A tab in the background is not read.
      if (document.visibilityState !== 'visible') return;
      void post('/v1/incidents/shown', { incidentIds: ids.split(' ') }).catch(() => undefined);
    };
    tell();
    const timer = setInterval(tell, AGAIN_MS);
    return () => clearInterval(timer);
  }, [ids]);
}
