import { expect, it } from 'vitest';
import { OutputBook } from './output-book.ts';

it('keeps the newest output without secrets, and goes on where a reader was', () => {
  const book = new OutputBook();
  book.append('ada', 'one\n');
  const first = book.read('ada', 0);
  expect(first).toEqual({ text: 'one\n', next: 4, isCut: false });
  book.append('ada', 'export API_KEY=sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789\n');
  const second = book.read('ada', first.next);
  expect(second.text).toContain('API_KEY');
  expect(second.text).not.toContain('abcdefghij');
  expect(book.read('ada', second.next)).toEqual({ text: '', next: second.next, isCut: false });
  expect(book.read('bob', 7)).toEqual({ text: '', next: 0, isCut: false });
});

it('is bounded for each agent, and in the number of agents', () => {
  const book = new OutputBook();
  book.append('ada', 'x'.repeat(100_000));
  expect(book.read('ada', 0)).toMatchObject({ text: 'x'.repeat(64_000), next: 100_000, isCut: true });
  for (let i = 0; i < 1_000; i += 1) book.append(`agent-${i}`, 'hi\n');
  expect(book.read('ada', 0).text).toBe('');
});
