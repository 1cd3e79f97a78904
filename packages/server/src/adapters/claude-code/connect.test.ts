import { expect, it } from 'vitest';
import { withHooks, withoutHooks } from './connect.ts';
import { hookSettings } from './hook-settings.ts';

it('hooks in settings come back out exactly', () => {
  const ours = hookSettings('http://127.0.0.1:4658', { token: 'hlt_secret' });
  for (const own of [{}, { a: 1 }, { hooks: {} }, { hooks: { Stop: [{ matcher: '*', hooks: [] }] } }])
    expect(withoutHooks(withHooks(own, ours))).toEqual(own.hooks && !Object.keys(own.hooks)[0] ? {} : own);
});
