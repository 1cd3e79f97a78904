import type { HealthView, SystemView } from '@holter/server/wire';
import { Ago } from '../parts/time.tsx';
import { duration, plural } from '../parts/words.ts';

/** What is wrong with Holter itself, in the words of its alerts. */
export function Troubles({ troubles }: { readonly troubles: HealthView['troubles'] }) {
  if (troubles.length === 0) return null;
  return (
    <section class="card bad" aria-label="What is wrong with Holter">
      <h2>Holter needs attention</h2>
      <ul>
        {troubles.map(({ kind, name, says, since }) => (
          <li key={`${kind} ${name}`}>
            {says}{' '}
            <span class="soft">
              (since <Ago at={since} />)
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Who notices when this machine fails, and whose clocks are wrong. */
export function Outside({ system }: { readonly system: SystemView }) {
  const { deadManPing, clockSkews } = system;
  return (
    <>
      <div>
        <dt>Outside ping</dt>
        <dd>
          {deadManPing === null && 'not set: if this machine fails, only you can notice'}
          {deadManPing?.okAt === null && 'not answered yet'}
          {deadManPing && deadManPing.okAt !== null && (
            <>
              answered <Ago at={deadManPing.okAt} />
            </>
          )}
          {deadManPing?.failure && `; ${plural(deadManPing.failures, 'ping')} failed: ${deadManPing.failure}`}
        </dd>
      </div>
      <div>
        <dt>Agents' clocks</dt>
        <dd>
          {clockSkews.length === 0 && 'none is off by more than 30 s'}
          {clockSkews
            .slice(0, 3)
            .map(
              ({ agentId, skewMs }) =>
                `${agentId} is ${duration(Math.abs(skewMs))} ${skewMs > 0 ? 'ahead' : 'behind'}`,
            )
            .join(', ')}
          {clockSkews.length > 3 && `, and ${clockSkews.length - 3} more`}
        </dd>
      </div>
    </>
  );
}
