import type { IncidentView } from '@holter/server/wire';
import { Ago } from '../parts/time.tsx';
import { personOf } from '../parts/words.ts';

/** Who acknowledged the incident. */
export function Seen({ incident: { acknowledged } }: { readonly incident: IncidentView }) {
  if (!acknowledged) return null;
  return (
    <p class="seen">
      <span class="tag calm">acknowledged</span> by {personOf(acknowledged.by)}, <Ago at={acknowledged.at} />:{' '}
      {acknowledged.reason}
    </p>
  );
}
