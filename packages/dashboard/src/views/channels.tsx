import type { AlertPage, AlertTestedView } from '@holter/server/wire';
import { useState } from 'preact/hooks';
import { Table } from '../parts/table.tsx';
import { Ago } from '../parts/time.tsx';
import { useAlerts } from '../state/alerts.ts';
import { messageOf, post } from '../state/api.ts';
import { session } from '../state/session.ts';
import { tell } from '../state/toasts.ts';

type Channel = AlertPage['channels'][number];

/** Ways to reach people, and whether they work. */
export function Channels() {
  const { data, reload } = useAlerts();
  if (!data) return null;
  const { channels, warnings } = data;
  const isBad = warnings.length > 0 || channels.some(({ state }) => state === 'failing');
  return (
    <section class={isBad ? 'card bad' : 'card'}>
      <h2>Alert channels</h2>
      {channels.length === 0 ? (
        <p class="soft">
          None is defined: only this page and the command line show problems. Define <code>channels</code> in{' '}
          <code>holter.yaml</code>.
        </p>
      ) : (
        <Table name="Alert channels" columns={['Channel', 'Type', 'State', 'Last sent', 'Last failure', '']}>
          {channels.map((channel) => (
            <Row key={channel.name} channel={channel} onTested={reload} />
          ))}
        </Table>
      )}
      {warnings.map((warning) => (
        <p key={warning} class="after">
          {warning}
        </p>
      ))}
    </section>
  );
}

function Row({ channel, onTested }: { readonly channel: Channel; readonly onTested: () => void }) {
  const { name, type, state, lastPostedAt, lastFailedAt, lastFailure } = channel;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{type}</td>
      <td>{state}</td>
      <td>{lastPostedAt === null ? 'never' : <Ago at={lastPostedAt} />}</td>
      <td>
        {lastFailedAt !== null && (
          <>
            <Ago at={lastFailedAt} />: {lastFailure}
          </>
        )}
      </td>
      <td>{session.value?.role === 'operator' && <TestButton name={name} onTested={onTested} />}</td>
    </tr>
  );
}

function TestButton({ name, onTested }: { readonly name: string; readonly onTested: () => void }) {
  const [isSending, setSending] = useState(false);
  const test = async (): Promise<void> => {
    setSending(true);
    try {
      const { results } = await post<AlertTestedView>('/v1/alerts/test', { channel: name });
      for (const { isSent, detail } of results)
        tell(isSent ? `Test sent through ${name}` : `${name} failed: ${detail}`, !isSent);
    } catch (error) {
      tell(messageOf(error), true);
    }
    setSending(false);
    onTested();
  };
  return (
    <button type="button" disabled={isSending} aria-label={`Test ${name}`} onClick={() => void test()}>
      {isSending ? 'Sending…' : 'Test'}
    </button>
  );
}
