import type { TokenPage, TokenView } from '@holter/server/wire';
import { Table } from '../parts/table.tsx';
import { Ago } from '../parts/time.tsx';
import { plural } from '../parts/words.ts';
import { get } from '../state/api.ts';
import { useFresh } from '../state/fresh.ts';
import { session } from '../state/session.ts';

const LOOK_MS = 10_000;
const SHOWN_MAX = 200;
const PEOPLE: ReadonlySet<string> = new Set(['operator', 'viewer', 'orchestrator']);

/** Who has access: people first; agents, hooks and pings folded away. */
export function Tokens() {
  return session.value?.role === 'operator' ? <List /> : null;
}

function List() {
  const { data } = useFresh('tokens', (stop) => get<TokenPage>('/v1/tokens', {}, stop), LOOK_MS, LOOK_MS);
  if (!data) return null;
  const valid = data.tokens.filter(({ revokedAt }) => revokedAt === null);
  const people = valid.filter(({ role }) => PEOPLE.has(role));
  const machines = valid.filter(({ role }) => !PEOPLE.has(role));
  return (
    <section class="card">
      <h2>Tokens</h2>
      <Rows name="Tokens of people" tokens={people} />
      {machines.length > 0 && (
        <details class="after">
          <summary>{plural(machines.length, 'token')} of agents, hooks and pings</summary>
          <Rows name="Tokens of agents, hooks and pings" tokens={machines.slice(0, SHOWN_MAX)} />
          {machines.length > SHOWN_MAX && <p class="soft">The newest {SHOWN_MAX} are shown.</p>}
        </details>
      )}
      <p class="soft after">
        <code>holter token create</code> creates one, <code>holter token revoke ID</code> revokes one.
      </p>
    </section>
  );
}

function Rows({ name, tokens }: { readonly name: string; readonly tokens: readonly TokenView[] }) {
  const newest = [...tokens].sort((a, b) => b.createdAt - a.createdAt);
  return (
    <Table name={name} columns={['For', 'Role', 'Created', 'Id']}>
      {newest.map((token) => (
        <tr key={token.tokenId}>
          <td>{holderOf(token)}</td>
          <td>{token.role}</td>
          <td>
            <Ago at={token.createdAt} />
          </td>
          <td>
            <code>{token.tokenId}</code>
          </td>
        </tr>
      ))}
    </Table>
  );
}

function holderOf({ tokenId, agentId, group, user, name }: TokenView): string {
  const isBrowser = tokenId.startsWith('page.');
  if (name !== null) return isBrowser ? `${name}, in a browser` : name;
  return isBrowser ? 'a browser' : (agentId ?? user ?? group ?? '–');
}
