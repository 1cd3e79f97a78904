// Long tasks of a page, in wall-clock time and in CPU time. On a busy machine the wall-clock time also contains the
// time in which the page's thread waited for a core; the CPU time is caused by the page alone.

const CATEGORIES = ['toplevel'];
const RENDERER = 'CrRendererMain';
const TASK = 'ThreadControllerImpl::RunTask';

/** Traces `work` and returns `{ wallMs, cpuMs }` of every task of the page's main thread in that time. */
export async function tasksOf(browser, page, work) {
  await browser.startTracing(page, { categories: CATEGORIES });
  await work();
  const { traceEvents } = JSON.parse(String(await browser.stopTracing()));
  const threads = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args.name === RENDERER)
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  return traceEvents
    .filter(({ name, ph, pid, tid }) => name === TASK && ph === 'X' && threads.has(`${pid} ${tid}`))
    .map(({ dur, tdur = 0 }) => ({ wallMs: dur / 1_000, cpuMs: tdur / 1_000 }));
}
