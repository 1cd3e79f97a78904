import type { AgentView } from '@holter/server/wire';
import type { ComponentChildren } from 'preact';
import { Ago, Countdown } from '../parts/time.tsx';
import { dollars, grouped, holdWord, plain } from '../parts/words.ts';

const promiseWord = ([name, value]: readonly [string, unknown]): string =>
  name === 'beatEverySeconds' ? `a beat every ${String(value)} s` : name;

const canWords: Readonly<Record<string, string>> = {
  terminate: 'stop',
  spawn: 'restart',
  'deny-call': 'refuse calls',
};
const canWord = (name: string): string => canWords[name] ?? plain(name);

const inferredWord = ({ promise, everySeconds, from }: AgentView['inferred'][number]): string =>
  `${everySeconds === null ? promise : `a beat every ${everySeconds} s`} (from ${from})`;

const holdInWords = ({ kind, mcpServer }: AgentView['holds'][number]): string =>
  mcpServer === null ? holdWord(kind) : `waiting for MCP server ${mcpServer}`;

/** Where it is past its expected end, that is the first thing to know about it. */
function taskInWords({ taskId, description, percent, inquiredAt }: NonNullable<AgentView['task']>): string {
  const parts = [
    description === null ? taskId : `${taskId} (${description})`,
    ...(percent === null ? [] : [`${percent} %`]),
    ...(inquiredAt === null ? [] : ['stalled']),
  ];
  return parts.join(', ');
}

/** It promised no more than to run, and has not been heard: nobody expects a sign of it. */
export const isProcessOnly = ({ lastSignAt, promises, inferred }: AgentView): boolean =>
  lastSignAt === null && inferred.length === 0 && Object.keys(promises).join() === 'process';

/** What Holter knows, in a few lines. */
export function Facts({ agent }: { readonly agent: AgentView }) {
  const { task, otherTasks, promises, inferred, end, recovery, probation, patience } = agent;
  const facts: readonly (readonly [string, ComponentChildren])[] = [
    [
      'Last heard',
      isProcessOnly(agent) ? '– (only its process is watched)' : <Ago key="b" at={agent.lastSignAt} />,
    ],
    ['Last progress', <Ago key="p" at={agent.lastProgressAt} />],
    ['Task', task ? taskInWords(task) : 'none'],
    ...(otherTasks.length > 0 ? ([['Other tasks', otherTasks.map(taskInWords).join('; ')]] as const) : []),
    ['Phase', agent.phase ?? '–'],
    ['Holds', agent.holds.map(holdInWords).join(', ') || 'none'],
    ['Tokens', agent.tokens === null ? '–' : grouped(agent.tokens)],
    ['Cost', agent.costUsd === null ? '–' : dollars(agent.costUsd)],
    ['Errors reported', String(agent.errorCount ?? 0)],
    ['Promised', Object.entries(promises).map(promiseWord).join(', ') || 'nothing'],
    ...(inferred.length > 0 ? ([['Inferred', inferred.map(inferredWord).join(', ')]] as const) : []),
    ['Holter can', agent.can.map(canWord).join(', ') || 'only watch'],
    ['Started', <Ago key="s" at={agent.startedAt} />],
  ];
  const more: readonly (readonly [string, ComponentChildren])[] = [
    ...(agent.failure ? ([['Failure', agent.failure.text]] as const) : []),
    ...(end ? ([['Ended', end.detail]] as const) : []),
    ...(recovery ? ([['Restarts', `${recovery.attempts} for this task`]] as const) : []),
    ...(patience
      ? ([
          [
            'Longer limits',
            `${
              Object.entries(patience.settings)
                .map(([path, value]) => `${path} ${String(value)}`)
                .join(', ') || 'none'
            } (${patience.file})`,
          ],
        ] as const)
      : []),
    ...(probation ? ([['Probation', <Countdown key="c" to={probation.until} />]] as const) : []),
  ];
  return (
    <dl class="facts">
      {[...facts, ...more].map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
