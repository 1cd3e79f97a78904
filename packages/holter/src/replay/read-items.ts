import { createReadStream } from 'node:fs';
import {
  ADAPTERS,
  type Item,
  parseRecord,
  type ReplayFormat,
  type ReplayReader,
} from '@holter/server/adapters';
import { stepsV1 } from './steps-v1.ts';

const FORMATS: readonly ReplayFormat[] = [stepsV1, ...ADAPTERS.flatMap(({ replay }) => replay ?? [])];
/** How many lines are tried to recognise the format: transcripts may begin with unrelated lines. */
const UNKNOWN_MAX = 200;
/** A line longer than this is not kept in memory: it is reported and skipped. */
const LINE_MAX = 64 * 1_024 * 1_024;

/**
 * Reads a file of any size in constant memory and yields its items. The format is recognised by content. A damaged
 * or unknown line is reported with its number and skipped. `onBytes` gets the progress.
 */
export async function* readItems(
  file: string,
  onBytes: (bytes: number) => void = () => {},
): AsyncGenerator<Item> {
  let reader: ReplayReader | null = null;
  let unknown = 0;
  for await (const { line, text } of readLines(file, onBytes)) {
    if (text === null) {
      yield { kind: 'bad-line', line, because: 'longer than 64 MB' };
      continue;
    }
    if (text.trim() === '') continue;
    const record = parseRecord(text);
    if (record === null) {
      yield { kind: 'bad-line', line, because: 'not a JSON object: torn or not a transcript line' };
      continue;
    }
    if (reader === null) {
      const format = FORMATS.find((each) => each.matches(record));
      if (format === undefined) {
        unknown += 1;
        if (unknown > UNKNOWN_MAX) {
          yield {
            kind: 'bad-line',
            line,
            because: `no known transcript format in the first ${UNKNOWN_MAX} lines`,
          };
          return;
        }
        continue;
      }
      reader = format.open(file);
    }
    yield* reader.push(record, line);
  }
  if (reader !== null) yield* reader.end();
  else if (unknown > 0) yield { kind: 'bad-line', line: 1, because: 'no known transcript format' };
}

type Line = { readonly line: number; readonly text: string | null };

/** Does not use readline, which has no limit on the length of a line. */
async function* readLines(file: string, onBytes: (bytes: number) => void): AsyncGenerator<Line> {
  const stream = createReadStream(file, { encoding: 'utf8', highWaterMark: 256 * 1_024 });
  let rest = '';
  let isTooLong = false;
  let line = 0;
  for await (const chunk of stream) {
    onBytes(stream.bytesRead);
    const parts = (rest + String(chunk)).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      line += 1;
      yield { line, text: isTooLong ? null : part };
      isTooLong = false;
    }
    if (rest.length > LINE_MAX) {
      rest = '';
      isTooLong = true;
    }
  }
  if (rest !== '' || isTooLong) yield { line: line + 1, text: isTooLong ? null : rest };
}
