import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, opendir, realpath, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * The one way to files that an agent can name or replace. An agent may put a FIFO, a device, a link or a file of
 * any size in their place, so each is looked at before and after it is opened, opened without waiting, and read up
 * to a limit. What is no such file is reported in words and never waited for.
 */
export type AgentFileRules = {
  /** Whether files of this user are taken. */
  readonly isOwner: (user: number) => boolean;
  readonly bytesMax: number;
  /** Where the file's folder really was; refuses the file if a link leads elsewhere now. Default: not checked. */
  readonly folder?: string;
};

export type FileAnswer<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'missing' }
  /** `because` completes the sentence "the file …". */
  | { readonly kind: 'refused'; readonly because: string };

/** An agent's files belong to the user of its process, if that is known, or to the user of this process. */
export const ownerOf =
  (processUser: () => number | null = () => null): AgentFileRules['isOwner'] =>
  (user) => {
    const own = process.geteuid?.();
    return own === undefined || user === own || user === processUser();
  };

/** What is known of the file without opening it. */
export function statAgentFile(path: string, rules: AgentFileRules): Promise<FileAnswer<Stats>> {
  return answered(dirname(path), () => look(path, rules));
}

/** Opens the file for `use`, and closes it again. */
export function withAgentFile<T>(
  path: string,
  rules: AgentFileRules,
  use: (file: FileHandle, stats: Stats) => Promise<T>,
): Promise<FileAnswer<T>> {
  return answered(dirname(path), async () => {
    await look(path, rules);
    const file = await open(path, constants.O_RDONLY | GUARDED);
    try {
      return await use(file, admitted(await file.stat(), rules));
    } finally {
      await file.close();
    }
  });
}

export function readAgentFile(path: string, rules: AgentFileRules): Promise<FileAnswer<AgentFile>> {
  return withAgentFile(path, rules, async (file, stats) => ({
    stats,
    content: await readUpTo(file, stats.size, 0),
  }));
}

export type AgentFile = { readonly stats: Stats; readonly content: Buffer };

/** A file as it was read last. It is settled once it was read twice with the same times. */
export type KnownFile = AgentFile & { readonly isSettled: boolean };

/**
 * As `readAgentFile`, for a file that is looked at again and again: it is not opened as long as it has not changed.
 * A file may be written right after it was read and keep its time, so it is read once more at the next look.
 */
export async function readChangedFile(
  path: string,
  rules: AgentFileRules,
  known: KnownFile | undefined,
): Promise<FileAnswer<KnownFile>> {
  if (known?.isSettled) {
    const seen = await statAgentFile(path, rules);
    if (seen.kind !== 'ok') return seen;
    if (isUnchanged(known.stats, seen.value)) return { kind: 'ok', value: known };
  }
  const answer = await readAgentFile(path, rules);
  if (answer.kind !== 'ok') return answer;
  const isSettled = known !== undefined && isUnchanged(known.stats, answer.value.stats);
  return { kind: 'ok', value: { ...answer.value, isSettled } };
}

const isUnchanged = (before: Stats, now: Stats): boolean =>
  now.ino === before.ino &&
  now.size === before.size &&
  now.mtimeMs === before.mtimeMs &&
  now.ctimeMs === before.ctimeMs;

/** The bytes from a position on; fewer if the file ends earlier. */
export async function readUpTo(file: FileHandle, bytes: number, from: number): Promise<Buffer> {
  const content = Buffer.alloc(bytes);
  let length = 0;
  while (length < bytes) {
    const { bytesRead } = await file.read(content, length, bytes - length, from + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return content.subarray(0, length);
}

/** Puts a new file in place. Whatever has its name is replaced, and never opened or followed. */
export function replaceAgentFile(
  path: string,
  content: string | Buffer,
  folder?: string,
): Promise<FileAnswer<void>> {
  return answered(dirname(path), () => replace(path, content, folder));
}

/** Adds to the file. If there is none, or something else has its name, a new one takes that place. */
export function appendToAgentFile(
  path: string,
  text: string,
  rules: AgentFileRules,
): Promise<FileAnswer<void>> {
  return answered(dirname(path), async () => {
    try {
      const { nlink } = await look(path, rules);
      // Another name of the file may be one that must not be changed.
      if (nlink > 1) throw new Refusal('has a second name');
      const file = await open(path, constants.O_WRONLY | constants.O_APPEND | GUARDED);
      try {
        admitted(await file.stat(), rules);
        await file.writeFile(text);
      } finally {
        await file.close();
      }
    } catch (error) {
      if (!(error instanceof Refusal) && codeOf(error) !== 'ENOENT') throw error;
      await replace(path, text, rules.folder);
    }
  });
}

/** Makes the folder if there is none. A link in its place is refused. */
export function makeAgentFolder(path: string): Promise<FileAnswer<void>> {
  return answered(dirname(path), async () => {
    await mkdir(path).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    const stats = await lstat(path);
    if (!stats.isDirectory()) throw new Refusal(`is ${kindOf(stats) ?? 'a file'}`);
  });
}

/** Moves whatever has this name, without opening it. */
export function moveAgentFile(path: string, to: string): Promise<FileAnswer<void>> {
  return answered(dirname(path), () => rename(path, to));
}

/** Removes the file; one that is not there is no fault. */
export function removeAgentFile(path: string): Promise<FileAnswer<void>> {
  return answered(dirname(path), () => unlink(path));
}

/** Names in a folder, at most this many and however many there are; none if it can't be read. */
export async function namesIn(folder: string, max: number): Promise<readonly string[]> {
  const answer = await answered(folder, async () => {
    const names: string[] = [];
    for await (const { name } of await opendir(folder)) {
      names.push(name);
      if (names.length >= max) break;
    }
    return names;
  });
  return answer.kind === 'ok' ? answer.value : [];
}

/** The path without links; null if it leads nowhere. */
export async function realPath(path: string): Promise<string | null> {
  const answer = await answered(dirname(path), () => realpath(path));
  return answer.kind === 'ok' ? answer.value : null;
}

/** A link as the last part fails, and opening never waits: not for the other end of a FIFO, nor for a lease. */
const GUARDED = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

class Refusal extends Error {}

async function look(path: string, rules: AgentFileRules): Promise<Stats> {
  await checkFolder(path, rules.folder);
  return admitted(await lstat(path), rules);
}

async function checkFolder(path: string, folder: string | undefined): Promise<void> {
  if (folder !== undefined && (await realpath(dirname(path))) !== folder)
    throw new Refusal('lies in a folder that is a symbolic link now');
}

function admitted(stats: Stats, { isOwner, bytesMax }: AgentFileRules): Stats {
  const kind = kindOf(stats);
  if (kind !== null) throw new Refusal(`is ${kind}`);
  if (!isOwner(stats.uid)) throw new Refusal(`belongs to another user (${stats.uid})`);
  if (stats.size > bytesMax)
    throw new Refusal(`is too large (${inWords(stats.size)}; at most ${inWords(bytesMax)})`);
  return stats;
}

/** What it is instead of a regular file; null for one. */
export function kindOf(stats: Stats): string | null {
  if (stats.isFile()) return null;
  if (stats.isSymbolicLink()) return 'a symbolic link';
  if (stats.isFIFO()) return 'a FIFO';
  if (stats.isDirectory()) return 'a directory';
  return stats.isSocket() ? 'a socket' : 'a device';
}

const inWords = (bytes: number): string =>
  bytes >= 1e9
    ? `${(bytes / 1e9).toFixed(1)} GB`
    : bytes >= 1e6
      ? `${Math.round(bytes / 1e6)} MB`
      : `${Math.ceil(bytes / 1e3)} kB`;

const DRAFTS_MAX = 8;
let drafts = 0;

async function replace(path: string, content: string | Buffer, folder: string | undefined): Promise<void> {
  await checkFolder(path, folder);
  const [draft, file] = await openDraft(path);
  try {
    try {
      await file.writeFile(content);
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await unlink(draft).catch(() => undefined);
    throw error;
  }
}

/** Under a name that is not taken, whoever took the first ones. */
async function openDraft(path: string): Promise<readonly [draft: string, file: FileHandle]> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | GUARDED;
  for (let tries = 1; ; tries += 1) {
    drafts += 1;
    const draft = `${path}.${process.pid}-${drafts}.tmp`;
    try {
      return [draft, await open(draft, flags, 0o600)];
    } catch (error) {
      if (codeOf(error) !== 'EEXIST' || tries >= DRAFTS_MAX) throw error;
    }
  }
}

/**
 * A file system of an agent's own can leave any call unanswered, and each such call keeps one of the few threads
 * that also compress and resolve names. So few calls are made at a time, and none is waited for longer than this.
 * One that has not returned by then no longer keeps others from their turn, but its folder is not tried again until
 * it has, and there are fewer threads for the rest.
 */
const CALLS_MAX = 2;
/** Of the four threads that Node has: one is always left for everything else. */
const THREADS_MAX = 3;
const WAITING_MAX = 1_000;
const ANSWER_MS_MAX = 2_000;
const LATE: FileAnswer<never> = { kind: 'refused', because: 'does not answer' };
const waiting = new Set<() => void>();
/** Folders with a call that has not returned in time. */
const hung: string[] = [];
let underWay = 0;

const hasTurn = (): boolean => underWay < Math.min(CALLS_MAX, THREADS_MAX - hung.length);

/** `folder` is where the file lies. */
async function answered<T>(folder: string, run: () => Promise<T>): Promise<FileAnswer<T>> {
  if (hung.includes(folder) || waiting.size >= WAITING_MAX) return LATE;
  return new Promise((resolve, reject) => {
    const cancel = soon(() => {
      waiting.delete(begin);
      resolve(LATE);
    });
    const begin = (): void => {
      void occupy(folder, outcomeOf(run)).then(resolve, reject).finally(cancel);
    };
    waiting.add(begin);
    beginNext();
  });
}

/** Holds a turn until the call has returned, or has taken too long. */
async function occupy<T>(folder: string, outcome: Promise<T>): Promise<T> {
  let isHung = false;
  underWay += 1;
  const cancel = soon(() => {
    isHung = true;
    underWay -= 1;
    hung.push(folder);
    beginNext();
  });
  try {
    return await outcome;
  } finally {
    cancel();
    if (isHung) hung.splice(hung.indexOf(folder), 1);
    else underWay -= 1;
    beginNext();
  }
}

function soon(run: () => void): () => void {
  const timer = setTimeout(run, ANSWER_MS_MAX);
  timer.unref();
  return () => clearTimeout(timer);
}

function beginNext(): void {
  for (const begin of waiting) {
    if (!hasTurn()) return;
    waiting.delete(begin);
    begin();
  }
}

async function outcomeOf<T>(run: () => Promise<T>): Promise<FileAnswer<T>> {
  try {
    return { kind: 'ok', value: await run() };
  } catch (error) {
    return faultOf(error);
  }
}

const IN_WORDS: Readonly<Record<string, string>> = {
  ELOOP: 'is a symbolic link',
  EACCES: 'may not be opened',
  EPERM: 'may not be opened',
  EAGAIN: 'is held by another program',
  ENXIO: 'is a FIFO, a socket or a device',
  EISDIR: 'is a directory',
};

function faultOf(error: unknown): Exclude<FileAnswer<never>, { kind: 'ok' }> {
  if (error instanceof Refusal) return { kind: 'refused', because: error.message };
  const code = codeOf(error);
  if (code === undefined) throw error;
  if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' };
  return { kind: 'refused', because: IN_WORDS[code] ?? `can't be used (${code})` };
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
