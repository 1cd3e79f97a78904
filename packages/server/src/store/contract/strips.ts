import { describe, expect, it } from 'vitest';
import { STRIP_MS } from '../store.ts';
import type { OpenStore } from './kit.ts';
import { at } from './kit.ts';
import { withStore } from './with-store.ts';

export function stripsContract(open: OpenStore): void {
  describe('strips', () => {
    const current = withStore(open);
    const page = (moment: number, writer: string, body: string) => ({ at: at(moment), writer, body });

    it('keeps one page per writer and time, and returns them in order', async () => {
      const { store } = current;
      await store.putStripPage(page(60, 'w2', 'later'));
      await store.putStripPage(page(30, 'w1', 'half'));
      await store.putStripPage(page(30, 'w1', 'whole'));
      await store.putStripPage(page(30, 'w0', "another's"));
      await current.reopen();
      expect(await current.store.stripPages(at(30), at(61))).toEqual([
        page(30, 'w0', "another's"),
        page(30, 'w1', 'whole'),
        page(60, 'w2', 'later'),
      ]);
      expect(await current.store.stripPages(at(31), at(61))).toEqual([page(60, 'w2', 'later')]);
      expect(await current.store.stripPages(at(0), at(60))).toHaveLength(2);
    });

    it('drops pages more than an hour older than the newest', async () => {
      const { store } = current;
      await store.putStripPage(page(0, 'w', 'old'));
      await store.putStripPage(page(1, 'w', 'an hour'));
      await store.putStripPage(page(STRIP_MS + 1, 'w', 'new'));
      expect((await store.stripPages(at(0), at(2 * STRIP_MS))).map(({ body }) => body)).toEqual([
        'an hour',
        'new',
      ]);
    });
  });
}
