import type { Agent } from '@holter/core';
import { readUsable } from '../engine/stored-chain.ts';
import type { HttpDeps } from './deps.ts';
import { Turns } from './turns.ts';
import type { AgentView } from './types.ts';

type Usable = NonNullable<NonNullable<AgentView['ready']>['checkpoints']>;
type Known = { readonly head: string; readonly readAt: number; readonly usable: Promise<Usable> };

const SHOWN = 3;
/** The page asks every second, and a check reads whole contents; damage shows this much later. */
const KNOWN_MS_MAX = 10_000;
const KNOWN_MAX = 1_000;

/** The newest checkpoints that a successor of an agent could start from. */
export class UsableCheckpoints {
  private readonly deps: Pick<HttpDeps, 'store' | 'sha256' | 'clock'>;
  private readonly known = new Map<string, Known>();
  /** A content may be megabytes. */
  private readonly turns = new Turns(1);

  constructor(deps: Pick<HttpDeps, 'store' | 'sha256' | 'clock'>) {
    this.deps = deps;
  }

  of({ hard }: Agent): Promise<Usable> {
    const { store, sha256, clock } = this.deps;
    const { agentId } = hard;
    const place = { agentId, taskId: hard.task?.id ?? null, headId: hard.checkpoint?.id };
    const head = `${place.headId} ${place.taskId}`;
    const now = clock.now();
    const before = this.known.get(agentId);
    if (before?.head === head && now - before.readAt < KNOWN_MS_MAX) return before.usable;
    const usable = this.turns.take(async () => [...(await readUsable(store, place, sha256, SHOWN))]);
    if (this.known.size >= KNOWN_MAX) this.known.clear();
    this.known.set(agentId, { head, readAt: now, usable });
    usable.catch(() => this.known.delete(agentId));
    return usable;
  }
}
