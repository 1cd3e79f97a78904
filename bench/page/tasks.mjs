// Long tasks of a page, by the wall and by its own CPU time. On a machine that others use too, the wall also shows
// how long the page's thread had to wait for a core; the CPU time is the page's own doing.

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
