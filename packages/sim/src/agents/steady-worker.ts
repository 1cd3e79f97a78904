import type { Behaviour } from './behaviour.ts';
import { criticalKit, farKit, ownedKit, pingedKit, remoteKit } from './agent-profile.ts';

/** The reference: takes tasks, calls tools, saves, rests. Whatever happens to it is Holter's fault. */
export const steadyWorker: Behaviour = {
  name: 'steady-worker',
  tells: 'works, saves, rests',
  kits: [ownedKit, ownedKit, remoteKit, pingedKit, farKit, criticalKit],
};
