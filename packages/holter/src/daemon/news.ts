import { type BudgetLimits, type DaemonSays, UNHEARD_LOOKS_MAX } from '@holter/core';

const inMinutes = (ms: number): string => `${Math.round(ms / 60_000)} min`;

/** For the log, and for the letter to the person in charge. */
export function inWords(news: DaemonSays, { loopCrashes, loopMs, probeEveryMs }: BudgetLimits): string {
  const { name } = news;
  switch (news.what) {
    case 'latched':
      return `${name}: crash loop: ${loopCrashes} crashes within ${inMinutes(loopMs)}; from now on it is tried every ${inMinutes(probeEveryMs)}`;
    case 'cleared':
      return `${name}: it stays up again; the crash loop is over`;
    case 'unheard':
      return `${name}: it has not been heard at ${UNHEARD_LOOKS_MAX} looks, and nothing is done about it`;
    case 'heard':
      return `${name}: it is heard again`;
    case 'stalled':
      return 'the daemon itself did not run for a while; looks from before do not count';
    case 'left-down':
      return `${name}: ended by order of ${news.by}${news.reason === '' ? '' : ` (${news.reason})`}; it stays down until it is resumed`;
    case 'asked': {
      const { action, by, reason } = news.request;
      const asked = `${name}: ${action} asked for by ${by}${reason === '' ? '' : ` (${reason})`}`;
      return news.because === null ? asked : `${asked}; it is not carried out: ${news.because}`;
    }
  }
}
