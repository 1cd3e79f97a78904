import type { SystemView } from '@holter/server/wire';
import { Link } from '../parts/link.tsx';
import { Table } from '../parts/table.tsx';
import { Ago, Countdown } from '../parts/time.tsx';
import { clockTime, dayName, duration, plural } from '../parts/words.ts';

const SHOWN = 12;

type StallsProps = { readonly stalls: SystemView['stalls']; readonly share: string };

/** Gaps between two ticks of the server: a restart, a sleeping machine, an overloaded machine. */
export function Stalls({ stalls, share }: StallsProps) {
  if (stalls.length === 0)
    return <p class="soft">None on record. Gaps of more than two seconds appear here.</p>;
  const hidden = stalls.slice(SHOWN).reduce((sum, { count }) => sum + count, 0);
  return (
    <>
      <Table name="Monitoring gaps" columns={['From', 'To', 'Length']} look="plain numbers">
        {stalls.slice(0, SHOWN).map(({ from, to, lostMs, count }) => (
          <tr key={from}>
            <td>
              {dayName(from)} {clockTime(from)}
            </td>
            <td>
              {dayName(to)} {clockTime(to)}
            </td>
            <td>
              {duration(lostMs)}
              {count > 1 && <span class="soft"> in {plural(count, 'gap')}</span>}
            </td>
          </tr>
        ))}
      </Table>
      <p class="soft after">
        {hidden > 0 && `${plural(hidden, 'older gap')} not shown. `}
        Deadlines moved by these gaps, and by a grace time after each: {share} of the last hour.
      </p>
    </>
  );
}

export function Brakes({ brakes }: { readonly brakes: SystemView['brakes'] }) {
  if (brakes.length === 0)
    return (
      <p class="soft">
        Off. When many agents of a group are lost together, the monitor or the network is the likely cause:
        Holter pauses acts on single agents and sends one alert.
      </p>
    );
  return (
    <Table name="Groups that lost many at once" columns={['Group', 'Engaged', 'Next act']}>
      {brakes.map(({ group, engagedAt, releaseAt }) => (
        <tr key={group}>
          <th scope="row">
            <Link to={`/?group=${encodeURIComponent(group)}`}>{group}</Link>
          </th>
          <td>
            <Ago at={engagedAt} />
          </td>
          <td>
            {releaseAt === null ? (
              'when losses stop'
            ) : (
              <>
                in <Countdown to={releaseAt} />
              </>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}
