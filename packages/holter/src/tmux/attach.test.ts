import { expect, it } from 'vitest';
import { placeOf } from './attach.ts';

it('the pane of an agent is found by its whole name, never by the beginning of one', () => {
  const listed = '$0 %1 api\n$1 %12 api\n$2 %3 web server\n';
  expect(placeOf(listed, 'api.1')).toEqual({ sessionId: '$0', paneId: '%1' });
  expect(placeOf(listed, 'api.12')).toEqual({ sessionId: '$1', paneId: '%12' });
  expect(placeOf(listed, 'web-server.3')).toEqual({ sessionId: '$2', paneId: '%3' });
  for (const other of ['api', 'api.', 'api.2', 'ap.1', '']) expect(placeOf(listed, other)).toBeNull();
});
