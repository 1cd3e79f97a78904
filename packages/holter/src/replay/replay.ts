import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { Policy } from '@holter/core';
import { EXIT } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { painter } from '../terminal/paint.ts';
import type { InputFile } from './find-files.ts';
import { judgeFile } from './judge-file.ts';
import type { Price } from './price.ts';
import { progressBar } from './progress-bar.ts';
import { htmlFoot, htmlHead, htmlRun, wastedUsd } from './report-html.ts';
import { jsonLine } from './report-json.ts';
import { summary, type Totals, textOf } from './report-text.ts';
import type { RunReport } from './run-report.ts';

type ReplayOptions = {
  readonly files: readonly InputFile[];
  readonly policy: Policy;
  readonly price: Price;
  readonly isJson: boolean;
  readonly html: string | null;
};

/** Judges every run of every file and reports each as soon as it is complete, in constant memory. */
export async function replay(io: Io, { files, policy, price, isJson, html }: ReplayOptions): Promise<void> {
  const paint = painter(io);
  const totals = { runs: 0, warn: 0, act: 0, badLines: 0 };
  let wasted = 0;
  const page = html === null ? null : createWriteStream(html);
  page?.write(htmlHead(`Holter replay of ${files.length} files`));
  const onRun = async (report: RunReport): Promise<void> => {
    totals.runs += 1;
    if (report.worst !== 'none') totals[report.worst] += 1;
    wasted += wastedUsd(report, price);
    io.out(isJson ? jsonLine(report) : textOf(report, price, io.width, paint));
    if (page !== null && !page.write(htmlRun(report, price))) await once(page, 'drain');
  };
  const bar = progressBar(
    io,
    files.reduce((sum, { bytes }) => sum + bytes, 0),
    files.length,
  );
  let before = 0;
  for (const { path, bytes } of files) {
    await judgeFile(path, policy, price, {
      onRun,
      onBadLine: ({ line, because }) => {
        totals.badLines += 1;
        io.err(`${path}:${line}: ${because}; skipped\n`);
      },
      onBytes: (read) => bar.at(before + read, path),
    });
    before += bytes;
  }
  bar.done();
  if (page !== null) {
    page.end(htmlFoot(totals satisfies Totals, wasted));
    await finished(page);
  }
  if (!isJson) io.out(summary(totals, paint));
  if (totals.warn + totals.act > 0) io.setExitCode(EXIT.foundWrong);
}
