import { expect, it } from 'vitest';
import { placeOf, sessionOf, townSession, whyNotListed } from './attach.ts';

it('the pane of an agent is found by its whole name, never by the beginning of one', () => {
  const listed = '$0 %1 api\n$1 %12 api\n$2 %3 web server\n';
  expect(placeOf(listed, 'api.1')).toEqual({ sessionId: '$0', paneId: '%1' });
  expect(placeOf(listed, 'api.12')).toEqual({ sessionId: '$1', paneId: '%12' });
  expect(placeOf(listed, 'web-server.3')).toEqual({ sessionId: '$2', paneId: '%3' });
  for (const other of ['api', 'api.', 'api.2', 'ap.1', '']) expect(placeOf(listed, other)).toBeNull();
});

it('an agent of a town is shown by the session of its whole name; the Deacon has two more', () => {
  const agents = ['gt-alpha-witness', 'mayor'];
  for (const name of ['deacon', 'hq-deacon', 'hq']) expect(townSession(name, 'hq', agents)).toBe('hq');
  for (const name of agents) expect(townSession(name, 'hq', agents)).toBe(name);
  for (const name of ['', 'h', 'hq-', 'gt-alpha', 'gt-alpha-witness2', 'boot'])
    expect(townSession(name, 'hq', agents)).toBeNull();
  const listed = '$0 %1 hq-deacon2\n$4 %9 hq-deacon\n$4 %10 hq-deacon\n';
  expect(sessionOf(listed, 'hq-deacon')).toEqual({ sessionId: '$4', paneId: '%9' });
  expect(sessionOf(listed, 'hq')).toBeNull();
});

it.each([
  'no server running on /tmp/tmux-1000/default',
  'no sessions',
  'error connecting to /tmp/tmux-1000/town (No such file or directory)',
  'error connecting to /tmp/tmux-1000/town (Connection refused)',
])('a tmux server that does not run is told in plain words: %s', (said) => {
  expect(whyNotListed(said, undefined)).toBe('no tmux server is running');
  expect(whyNotListed(said, 'town')).toBe('no tmux server is running on the socket town');
});

it('any other answer of tmux is passed on', () => {
  const said = 'error connecting to /tmp/tmux-0/default (Permission denied)';
  expect(whyNotListed(said, undefined)).toBe(`tmux does not answer: ${said}`);
});
