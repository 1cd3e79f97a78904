import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { LifecycleAction } from '@holter/core';
import { readSettingsFile, writeSettingsFile } from '@holter/server/process';

/** What the daemon of a town is asked to do about one of its agents. */
export type WrittenRequest = {
  readonly action: LifecycleAction;
  /** `deacon`, or the name of a session. */
  readonly agent: string;
  /** The run that it is about; null if none runs. */
  readonly incarnation: string | null;
  readonly by: string;
  readonly reason: string;
  readonly at: number;
};

const ACTIONS: ReadonlySet<unknown> = new Set<LifecycleAction>(['cycle', 'restart', 'shutdown', 'resume']);
const BYTES_MAX = 16 * 1024;
const FILES_MAX = 100;
const TEXT_MAX = 200;

/** In the data folder of the server, like `estop.json`: agents may write to the folder of a town. */
const folderOf = (data: string): string => join(data, 'lifecycle');

export function writeRequest(data: string, town: string, request: WrittenRequest, id: string): void {
  mkdirSync(folderOf(data), { recursive: true, mode: 0o700 });
  const text = JSON.stringify({ town, ...request, at: new Date(request.at).toISOString() }, null, 2);
  writeSettingsFile(join(folderOf(data), `${id}.json`), `${text}\n`);
}

/** Those for this town, oldest first. Each is taken once, so that none is carried out twice. */
export function takeRequests(data: string, town: string): readonly WrittenRequest[] {
  const taken: WrittenRequest[] = [];
  for (const name of namesIn(folderOf(data))) {
    const file = join(folderOf(data), name);
    const value = valueIn(file);
    if (value !== null && value.town !== town) continue;
    rmSync(file, { force: true });
    const request = value && requestIn(value, timeIn(value.at));
    if (request) taken.push(request);
  }
  return taken.sort((a, b) => a.at - b.at);
}

/** Null unless it is a whole request. */
function requestIn(value: Readonly<Record<string, unknown>>, at: number): WrittenRequest | null {
  const { action, agent, incarnation, by, reason } = value;
  if (!ACTIONS.has(action) || typeof agent !== 'string' || !Number.isFinite(at)) return null;
  return {
    action: action as LifecycleAction,
    agent: agent.slice(0, TEXT_MAX),
    incarnation: typeof incarnation === 'string' ? incarnation : null,
    by: String(by ?? 'somebody').slice(0, TEXT_MAX),
    reason: String(reason ?? '').slice(0, TEXT_MAX),
    at,
  };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .slice(0, FILES_MAX);
  } catch {
    return [];
  }
}

function valueIn(file: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(readSettingsFile(file, BYTES_MAX));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

const timeIn = (value: unknown): number => (typeof value === 'string' ? Date.parse(value) : Number.NaN);
