import { useAlerts } from '../state/alerts.ts';
import { view } from '../state/route.ts';
import { Link } from './link.tsx';
import { plural } from './words.ts';

/** On every view: people who rely on a channel do not know that it is silent. */
export function FailingChannels() {
  const { data } = useAlerts();
  const failing = data?.channels.filter(({ state }) => state === 'failing') ?? [];
  if (failing.length === 0 || view.value.name === 'system') return null;
  const names = failing.map(({ name }) => name).join(', ');
  return (
    <p class="stale" role="status">
      {plural(failing.length, 'alert channel')} {failing.length === 1 ? 'does' : 'do'} not deliver:{' '}
      <b>{names}</b>. <Link to="/system">See why</Link>
    </p>
  );
}
