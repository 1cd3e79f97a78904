import type { BreakerPage } from '@holter/server/wire';
import { useEffect } from 'preact/hooks';
import { Empty, NotYet } from '../parts/messages.tsx';
import { get } from '../state/api.ts';
import { useFresh } from '../state/fresh.ts';
import { BreakerTable } from './breaker-table.tsx';

export function BreakersView() {
  const { data, problem, reload } = useFresh('breakers', (stop) =>
    get<BreakerPage>('/v1/breakers', {}, stop),
  );
  useEffect(() => {
    document.title = 'Breakers · Holter';
  }, []);
  if (!data) return <NotYet title="Breakers" what="the breakers" problem={problem} retry={reload} />;
  return (
    <>
      <h1>Breakers</h1>
      <p class="lead">
        A breaker opens after failures in a row, or when too many calls fail or are slow, so that agents stop
        calling what is broken. After a while it lets one trial call through; a success closes it.
      </p>
      {data.breakers.length === 0 ? (
        <Empty
          title="No breaker has been used"
          text="Agents ask theirs with POST /v1/agents/:id/breakers/:name/acquire."
        />
      ) : (
        <section class="card">
          <BreakerTable breakers={data.breakers} hasAgent />
        </section>
      )}
    </>
  );
}
