import type { HealthView } from '@holter/server/wire';
import { get } from '../state/api.ts';
import { useFresh } from '../state/fresh.ts';
import { view } from '../state/route.ts';
import { session } from '../state/session.ts';
import { Link } from './link.tsx';

const LOOK_MS = 5_000;

type Kind = HealthView['troubles'][number]['kind'];

/** Channels have a line of their own. Time in a demo passes so fast that a busy machine seems to sleep. */
const isToldHere = (kind: Kind): boolean =>
  kind !== 'channel' && !(kind === 'grace' && (session.value?.demoSpeed ?? 1) > 1);

/** On every view: whoever reads it counts on Holter to look, and to act. */
export function OwnTroubles() {
  const { data } = useFresh('troubles', (stop) => get<HealthView>('/health', {}, stop), LOOK_MS, LOOK_MS);
  const [first, ...others] = data?.troubles.filter(({ kind }) => isToldHere(kind)) ?? [];
  if (!first || view.value.name === 'system') return null;
  return (
    <p class="own-trouble" role="status">
      <b>Holter needs attention:</b> {first.says.replace(/\.$/, '')}
      {others.length > 0 && `, and ${others.length} more`}. <Link to="/system">See System</Link>
    </p>
  );
}
