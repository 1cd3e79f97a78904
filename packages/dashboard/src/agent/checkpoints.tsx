import type { CheckpointPage } from '@holter/server/wire';
import { Ago } from '../parts/time.tsx';

/** The chain, newest first: which links hold, and where a successor would start. */
export function Checkpoints({ page }: { readonly page: CheckpointPage }) {
  if (page.checkpoints.length === 0)
    return <p class="soft">None. A successor would start at the beginning of its task.</p>;
  return (
    <ol class="chain">
      {page.checkpoints.map((each) => (
        <li key={each.checkpointId} class={each.isValid ? '' : 'broken'}>
          <code>{each.checkpointId}</code>
          <span>{each.isValid ? '✓ valid' : '✗ damaged'}</span>
          {each.checkpointId === page.usable && <span class="tag calm">a recovery starts here</span>}
          <span class="soft">
            <Ago at={each.at} /> · start {each.incarnation}
          </span>
        </li>
      ))}
    </ol>
  );
}
