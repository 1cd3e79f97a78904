import type { HistoryView as HistoryData } from '@holter/server/wire';
import { useEffect } from 'preact/hooks';
import { NotYet } from '../parts/messages.tsx';
import { type State, StateLabel, stateName } from '../parts/state-icon.tsx';
import { Table } from '../parts/table.tsx';
import { Tile } from '../parts/tile.tsx';
import { dayName, grouped } from '../parts/words.ts';
import { get } from '../state/api.ts';
import { useFresh } from '../state/fresh.ts';

type Day = HistoryData['days'][number];
/** Most findings come with the signal that completes them, so in milliseconds this would be 0. */
const within = (ms: number): string => (ms < 1_000 ? '1 s' : `${(Math.ceil(ms / 100) / 10).toFixed(1)} s`);
const SHOWN: readonly State[] = ['FAILING', 'STUCK', 'DEGRADED', 'HEALTHY'];

/** The last thirty days: states of the agents, what was done, and whether it helped. */
export function HistoryView() {
  const { data, problem, reload } = useFresh(
    'history',
    (stop) => get<HistoryData>('/v1/history', {}, stop),
    5_000,
  );
  useEffect(() => {
    document.title = 'History · Holter';
  }, []);
  if (!data) return <NotYet title="History" what="30 days" problem={problem} retry={reload} />;
  const sum = (count: (day: Day) => number): number => data.days.reduce((all, day) => all + count(day), 0);
  const done = sum(({ recovered }) => recovered);
  const failed = sum(({ recoveryFailures }) => recoveryFailures);
  return (
    <>
      <h1>History</h1>
      <p class="lead">The last 30 days.</p>
      <section class="tiles" aria-label="In numbers">
        <Tile name="Incidents" value={grouped(sum(({ incidents }) => incidents))} />
        <Tile name="Nudges" value={grouped(sum(({ nudges }) => nudges))} />
        <Tile name="Escalations" value={grouped(sum(({ escalations }) => escalations))} />
        <Tile name="Terminations" value={grouped(sum(({ terminations }) => terminations))} />
        <Tile
          name="Restarts that held"
          value={done + failed === 0 ? '–' : `${Math.round((100 * done) / (done + failed))} %`}
          note={`${done} of ${done + failed}`}
        />
        <Tile
          name="Found within"
          value={data.latency.medianMs === null ? '–' : within(data.latency.medianMs)}
          note={
            data.latency.p99Ms === null
              ? 'after a limit is reached'
              : `after a limit is reached; 99 % within ${within(data.latency.p99Ms)}`
          }
        />
        <Tile name="False alarms" value={grouped(sum(({ wrong }) => wrong))} note="marked by a person" />
      </section>
      <section class="card">
        <h2>Time in each state</h2>
        <Bars days={data.days} />
        <p class="legend">
          {SHOWN.map((state) => (
            <StateLabel key={state} state={state} />
          ))}
        </p>
      </section>
      <section class="card">
        <h2>Day by day</h2>
        <Days days={data.days} />
      </section>
    </>
  );
}

const minutesOf = ({ stateMinutes }: Day): number =>
  Object.values(stateMinutes).reduce((all, minutes) => all + minutes, 0);

/** A chart; the table below contains the same numbers. */
function Bars({ days }: { readonly days: readonly Day[] }) {
  return (
    <div class="bars" aria-hidden="true">
      {days.map((day) => {
        const all = minutesOf(day);
        return (
          <div class="bar" key={day.day} title={dayName(day.day)}>
            <div class="stack">
              {all > 0 &&
                SHOWN.map((state) => (
                  <span
                    key={state}
                    class={`fill-${state.toLowerCase()}`}
                    style={{ height: `${(100 * (day.stateMinutes[state] ?? 0)) / all}%` }}
                  />
                ))}
            </div>
            <span class="day">{dayName(day.day).split(' ')[0]}</span>
          </div>
        );
      })}
    </div>
  );
}

const DAY_COLUMNS = [
  'Day',
  ...SHOWN.map(stateName),
  ...['Incidents', 'Nudges', 'Escalations', 'Terminations', 'Restarts that held', 'False alarms'],
];

function Days({ days }: { readonly days: readonly Day[] }) {
  const used = [...days].reverse().filter((day) => minutesOf(day) > 0 || day.incidents > 0);
  if (used.length === 0) return <p class="soft">No records yet.</p>;
  const share = (day: Day, state: State): string => {
    const all = minutesOf(day);
    return all === 0 ? '–' : `${((100 * (day.stateMinutes[state] ?? 0)) / all).toFixed(1)} %`;
  };
  return (
    <Table name="Day by day" columns={DAY_COLUMNS} look="plain numbers">
      {used.map((day) => (
        <tr key={day.day}>
          <th scope="row">{dayName(day.day)}</th>
          {SHOWN.map((state) => (
            <td key={state}>{share(day, state)}</td>
          ))}
          <td>{day.incidents}</td>
          <td>{day.nudges}</td>
          <td>{day.escalations}</td>
          <td>{day.terminations}</td>
          <td>
            {day.recovered}/{day.recovered + day.recoveryFailures}
          </td>
          <td>{day.wrong}</td>
        </tr>
      ))}
    </Table>
  );
}
