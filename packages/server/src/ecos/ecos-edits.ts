import { join } from 'node:path';
import { z } from 'zod';
import { ownerOf, readAgentFile, removeAgentFile } from '../files/index.ts';
import { type EcosFileName, ecosSection, editedPath } from './ecos-files.ts';

const BYTES_MAX = 16 * 1024 * 1024;
const ENTRIES_MAX = 10_000;

const FAR_OFF = /^9999-/;
const task = z.object({
  task_id: z.string().min(1).max(256),
  agent: z.string().min(1).max(128),
  description: z.string().default(''),
  expected_completion: z.iso.datetime({ offset: true }).nullable().default(null),
  progress_percentage: z.number().min(0).max(100).default(0),
  status: z.enum(['in_progress', 'in-progress', 'completed', 'done', 'failed', 'cancelled']),
});
const heartbeat = z.object({
  interval_seconds: z.number().positive(),
  missed_threshold: z.number().int().positive(),
});

/** What the files of seed 001 say, as somebody has edited them. */
type EcosEdits = {
  readonly tasks: readonly EcosTask[];
  readonly heartbeats: Readonly<Record<string, z.infer<typeof heartbeat>>>;
  /** Where each was read. */
  readonly read: readonly string[];
  readonly problems: readonly string[];
};

type EcosTask = {
  readonly taskId: string;
  readonly agentId: string;
  readonly description: string;
  /** ISO; null where none is known. */
  readonly expectedAt: string | null;
  readonly percent: number;
  readonly status: 'in_progress' | 'done' | 'failed' | 'cancelled';
};

/**
 * Reads the files for `holter import ecos`. One that was edited while the server runs is kept beside the one that is
 * written live. Every entry is checked by itself, so that one wrong entry hides no other.
 */
export async function readEcosEdits(folder: string): Promise<EcosEdits> {
  const section = ecosSection(folder);
  const problems: string[] = [];
  const read: string[] = [];
  const open = async (name: EcosFileName): Promise<Record<string, unknown>> => {
    for (const path of [editedPath(join(section, name)), join(section, name)]) {
      const file = await readAgentFile(path, { isOwner: ownerOf(), bytesMax: BYTES_MAX });
      if (file.kind === 'missing') continue;
      if (file.kind === 'refused') {
        problems.push(`${path} ${file.because}`);
        return {};
      }
      read.push(path);
      const json = parsed(file.value.content.toString('utf8'));
      if (json === null) problems.push(`${path} is no JSON object`);
      return json ?? {};
    }
    return {};
  };
  const entry = <T>(schema: z.ZodType<T>, value: unknown, what: string): T | null => {
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    const [issue] = result.error.issues;
    problems.push(`${what}: ${issue?.path.join('.') || 'it'} is wrong (${issue?.message})`);
    return null;
  };
  const { tasks: listed = [] } = await open('task-tracking.json');
  const { agents = {} } = await open('heartbeat-config.json');
  if (!Array.isArray(listed)) problems.push('tasks is no list');
  if (typeof agents !== 'object' || agents === null || Array.isArray(agents))
    problems.push('agents is no object');
  const tasks = (Array.isArray(listed) ? listed.slice(0, ENTRIES_MAX) : []).flatMap(
    (each: unknown, index) => {
      const found = entry(task, each, `tasks[${index}]`);
      return found ? [taskOf(found)] : [];
    },
  );
  const heartbeats = Object.entries((agents ?? {}) as object)
    .slice(0, ENTRIES_MAX)
    .flatMap(([agentId, value]) => {
      const found = entry(heartbeat, value, `agents.${agentId}`);
      return found ? [[agentId, found] as const] : [];
    });
  return { tasks, heartbeats: Object.fromEntries(heartbeats), read, problems };
}

/** What was taken over is not taken over again. */
export async function forgetEcosEdits(folder: string): Promise<void> {
  const section = ecosSection(folder);
  for (const name of ['task-tracking.json', 'heartbeat-config.json'])
    await removeAgentFile(editedPath(join(section, name)));
}

function taskOf(entry: z.infer<typeof task>): EcosTask {
  const { task_id, agent, description, expected_completion: at, progress_percentage, status } = entry;
  return {
    taskId: task_id,
    agentId: agent,
    description,
    expectedAt: at === null || FAR_OFF.test(at) ? null : at,
    percent: progress_percentage,
    status: status === 'in-progress' ? 'in_progress' : status === 'completed' ? 'done' : status,
  };
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
