import { code, page, table } from './markdown.ts';

/** Of the Prometheus text of a server that has just started. */
export function metrics(text: string): string {
  const types = new Map(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]),
  );
  const rows = [...text.matchAll(/^# HELP (\S+) (.+)$/gm)].map(([, name = '', help = '']) => [
    code(name),
    types.get(name) ?? '',
    help,
  ]);
  return page(
    'Metrics',
    '`packages/server/src/http/metrics.ts`',
    `${code('GET /metrics')} answers in the format of Prometheus, to tokens of viewers, operators and orchestrators. Labels are named in the last column ("by …"). Names of agents are labels only with ${code('metrics.per_agent: true')}. [Operations](../operations.md#prometheus) has alert rules.`,
    table(['metric', 'type', 'counts'], rows),
  );
}
