import { type HolterEvent, RECORD_VERSION } from '@holter/core';
import { refuseOlder } from '../facts.ts';
import type { Commit, CommitVerdict } from '../store.ts';
import { CommitGroup } from './commit-group.ts';
import type { Connections, Row } from './connections.ts';
import { lastIn, selectLast } from './log.ts';
import { findBooked } from './spending.ts';
import { literals } from './text.ts';

/**
 * A group of commits in two messages. The first reads the versions, which are compared here; the second writes what has
 * no conflict, and fails if a version has changed in between, so that the group is repeated. No lock is held between
 * the two: a server that stops holds up no other.
 */
export function commit(
  connections: Connections,
  commits: readonly Commit[],
  seen = 0,
  recordVersion = RECORD_VERSION,
): Promise<readonly CommitVerdict[]> {
  if (commits.length === 0) return Promise.resolve([]);
  const agentIds = new Set(commits.map(({ agent }) => agent.hard.agentId));
  const spending = commits.flatMap((each) => each.spending ?? []);
  return connections.transaction(async (send) => {
    const [last, agents = [], booked = [], fleet] = await send([
      selectLast('events'),
      `select agent_id, version, incarnation, health, health_since from agents
       where agent_id in (${literals(agentIds)})`,
      findBooked(spending),
      'select version from fleet',
      'commit',
    ]);
    refuseOlder(lastIn(last), seen);
    const group = new CommitGroup(agents, Number(fleet?.[0]?.version ?? 0), recordVersion);
    const verdicts = commits.map((each) => group.add(each));
    if (verdicts.every(({ kind }) => kind === 'conflict')) return verdicts;
    const { statements, lastCursorAt, cancelledAt } = group.finish(booked);
    const results = await send([...statements, 'commit']);
    const lastCursor = lastCursorAt === null ? 0 : lastIn(results[lastCursorAt]);
    return commits.map((each, index) => {
      const verdict = verdicts[index] as CommitVerdict;
      if (verdict.kind !== 'ok') return verdict;
      const cancelled = eventsIn(results[cancelledAt.get(each) ?? -1]);
      return {
        ...verdict,
        firstCursor: verdict.firstCursor && lastCursor + verdict.firstCursor,
        ...(cancelled.length > 0 && { cancelled }),
      };
    });
  });
}

const eventsIn = (rows: readonly Row[] = []): readonly HolterEvent[] =>
  rows.map(({ body }) => JSON.parse(String(body)) as HolterEvent);
