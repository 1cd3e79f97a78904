import type { IncidentView } from '@holter/server/wire';
import { Ago } from '../parts/time.tsx';
import { personOf } from '../parts/words.ts';

/** Through which channels people were told, and who acknowledged the incident. */
export function Seen({ incident: { acknowledged, told } }: { readonly incident: IncidentView }) {
  return (
    <>
      {told.length > 0 && (
        <p class="told soft">
          Alert sent through{' '}
          {told.map(({ channel, at }, index) => (
            <span key={channel}>
              {index > 0 && ', '}
              {channel} <Ago at={at} />
            </span>
          ))}
          .
        </p>
      )}
      {acknowledged && (
        <p class="seen">
          <span class="tag calm">acknowledged</span> by {personOf(acknowledged.by)},{' '}
          <Ago at={acknowledged.at} />: {acknowledged.reason}
        </p>
      )}
    </>
  );
}
