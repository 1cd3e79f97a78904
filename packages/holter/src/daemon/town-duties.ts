import type { Member } from '@holter/core';
import { isMarked } from '../boot/marker.ts';
import { readBootStatus } from '../boot/status-file.ts';
import { startDeacon } from '../deacon/act.ts';
import type { Chain } from '../deacon/context.ts';
import { lookAtDeacon } from '../deacon/look.ts';
import type { TownSession } from '../deacon/sessions.ts';
import type { BootHand } from './boot-hand.ts';
import type { TownDuties } from './daemon.ts';

/** What the daemon sees and does in its town besides looking after the links. */
export function townDuties(chain: Chain, boot: BootHand): TownDuties {
  const { town, table, settings, now, sessions, commands, env } = chain;
  let triagedAt = now();

  /** What Boot has said about the run that is there now, once. */
  const newTriage = async () => {
    const status = readBootStatus(town, now);
    if (!status || status.at <= triagedAt) return null;
    triagedAt = status.at;
    // Where a person is needed, Boot has told the overseer itself.
    if (status.action === 'ESCALATE') return null;
    const { run } = await lookAtDeacon(chain);
    return run && status.memory?.incarnation === run.incarnation ? status : null;
  };

  const memberOf = async (name: string): Promise<Member> => {
    const found = await sessions.find(name);
    if (found.kind === 'no-tmux') return { name, state: 'unknown' };
    return { name, state: found.kind === 'found' && isLiving(found.session) ? 'alive' : 'dead' };
  };

  /** Ensure means: end exactly the zombie session, then start. */
  const startMember = async (name: string): Promise<void> => {
    const agent = commands.agents.get(name);
    const found = await sessions.find(name);
    if (!agent || found.kind === 'no-tmux') return;
    if (found.kind === 'found') {
      if (isLiving(found.session)) return;
      if (!sessions.isOwn(found.session))
        throw new Error(`the session ${name} is in the way, and was not started by the chain`);
      await sessions.kill(found.session);
    }
    await sessions.start({ name, folder: town.path, command: agent.command, env });
  };

  return {
    see: async () => ({
      isBootRunning: boot.isRunning || isMarked(town, table, settings.bootTtlMs, now),
      triage: await newTriage(),
      members: await Promise.all([...commands.agents.keys()].map(memberOf)),
    }),
    act: async (act) => {
      switch (act.kind) {
        case 'triage':
          return boot.start();
        case 'start-deacon':
          await startDeacon(chain);
          return;
        case 'start-member':
          return startMember(act.name);
      }
    },
  };
}

const isLiving = ({ panes }: TownSession): boolean => panes.some(({ row }) => !row.dead);
