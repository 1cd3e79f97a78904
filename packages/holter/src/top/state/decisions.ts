import type { AgentView, BreakerView, Client } from '@holter/server/local';

type Words = { readonly reason: string; readonly by?: string };

/** Something that a person may decide here: its name, and how it is sent. */
export type Choice = {
  readonly label: string;
  /** It ends or restarts something, so that a reason has to be given. */
  readonly needsReason: boolean;
  readonly send: (client: Client, words: Words) => Promise<unknown>;
  readonly done: string;
};

type DecisionWord = keyof AgentView['decisions'];
type Offered = Omit<Choice, 'send' | 'done'> & {
  readonly word: DecisionWord;
  readonly done: string;
  readonly send: (agent: AgentView, client: Client, words: Words) => Promise<unknown>;
};

const SNOOZE_MINUTES = 15;
const ISOLATE_MINUTES = 60;

/** In the order of the menu: what is done about its incident, then what is done to the agent. */
const OFFERED: readonly Offered[] = [
  {
    word: 'acknowledge',
    label: 'acknowledge',
    needsReason: false,
    send: ({ incident }, client, words) =>
      client.decide(incident?.incidentId ?? '', { decision: 'acknowledge', ...words }),
    done: 'acknowledged',
  },
  {
    word: 'allow_more_time',
    label: `snooze for ${SNOOZE_MINUTES} min`,
    needsReason: false,
    send: ({ agentId }, client, words) => client.snooze(agentId, { ...words, minutes: SNOOZE_MINUTES }),
    done: `snoozed for ${SNOOZE_MINUTES} min`,
  },
  {
    word: 'wake',
    label: 'end snooze',
    needsReason: false,
    send: ({ agentId }, client, words) => client.wake(agentId, words),
    done: 'no longer snoozed',
  },
  {
    word: 'wrong',
    label: 'false alarm',
    needsReason: false,
    send: ({ agentId }, client, words) => client.wrong(agentId, words),
    done: 'marked as a false alarm',
  },
  {
    word: 'leave_down',
    label: "don't restart",
    needsReason: false,
    send: ({ agentId }, client, words) => client.wrong(agentId, words),
    done: 'not restarted',
  },
  {
    word: 'nudge',
    label: 'nudge: it reads your reason',
    needsReason: true,
    send: ({ agentId }, client, words) => client.nudge(agentId, words),
    done: 'being nudged',
  },
  {
    word: 'pause',
    label: 'pause monitoring',
    needsReason: false,
    send: ({ agentId }, client, words) => client.pause(agentId, words),
    done: 'not monitored until you resume it',
  },
  {
    word: 'resume',
    label: 'resume monitoring',
    needsReason: false,
    send: ({ agentId }, client, words) => client.resume(agentId, words),
    done: 'monitored again',
  },
  {
    word: 'recover',
    label: 'restart',
    needsReason: true,
    send: ({ agentId }, client, words) => client.recover(agentId, words),
    done: 'being restarted',
  },
  {
    word: 'terminate_and_recover',
    label: 'stop and restart',
    needsReason: true,
    send: ({ agentId }, client, words) => client.terminate(agentId, { ...words, recover: true }),
    done: 'being stopped, then restarted',
  },
  {
    word: 'replace',
    label: 'replace',
    needsReason: true,
    send: ({ incident }, client, words) =>
      client.decide(incident?.incidentId ?? '', { decision: 'replace', ...words }),
    done: 'being replaced',
  },
  {
    word: 'force_handoff',
    label: 'force handoff',
    needsReason: true,
    send: ({ agentId }, client, words) => client.forceHandoff(agentId, words),
    done: 'asked for a handoff note',
  },
  {
    word: 'terminate',
    label: 'terminate',
    needsReason: true,
    send: ({ agentId }, client, words) => client.terminate(agentId, words),
    done: 'being stopped',
  },
];

/** What the server would accept now. */
export const choicesAbout = (agent: AgentView): readonly Choice[] =>
  OFFERED.filter(({ word }) => agent.decisions[word] === null).map(({ label, needsReason, send, done }) => ({
    label,
    needsReason,
    send: (client, words) => send(agent, client, words),
    done: `${agent.agentId} is ${done}`,
  }));

export function choicesAboutBreaker({ agentId, name, state }: BreakerView): readonly Choice[] {
  const tell =
    (word: 'isolate' | 'reset', more: object = {}): Choice['send'] =>
    (client, words) =>
      client.tellBreaker(agentId, name, word, { ...words, ...more });
  const reset = {
    label: 'reset: close it',
    needsReason: false,
    send: tell('reset'),
    done: `${name} of ${agentId} is closed`,
  };
  const isolate = {
    label: `isolate for ${ISOLATE_MINUTES} min`,
    needsReason: true,
    send: tell('isolate', { minutes: ISOLATE_MINUTES }),
    done: `${name} of ${agentId} is isolated for ${ISOLATE_MINUTES} min`,
  };
  return state === 'CLOSED' ? [isolate] : [reset, isolate];
}
