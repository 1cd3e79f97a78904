import { expect, it } from 'vitest';
import { isLoopback, urlOf } from './listen-address.ts';

it.each<[host: string, isLocal: boolean]>([
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['localhost', true],
  ['LOCALHOST', true],
  ['::1', true],
  ['[::1]', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.1', false],
  ['127.example.org', false],
  ['127.0.0.1.example.org', false],
  ['localhost.example.org', false],
  ['', false],
])('%s can only be reached from this machine: %s', (host, isLocal) => {
  expect(isLoopback(host)).toBe(isLocal);
});

it('writes addresses as URLs want them', () => {
  expect(urlOf('::1', 4658)).toBe('http://[::1]:4658');
  expect(urlOf('127.0.0.1', 1)).toBe('http://127.0.0.1:1');
});
