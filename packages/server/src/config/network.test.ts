import { expect, it } from 'vitest';
import { loadConfig, problemLine } from './load.ts';

const load = (text: string) => loadConfig('/etc/holter/holter.yaml', () => text);

it('reads names, proxies, the certificate and the drain time', () => {
  const loaded = load(
    [
      'public_url: https://Pager.example.org:8443/holter',
      'hosts: [Holter.Example.ORG, 10.1.2.3, "fd00::1", "[::2]"]',
      'trusted_proxies: [127.0.0.1, 10.0.0.0/24, "fd00::/8"]',
      'tls: { cert: tls/cert.pem, key: /run/key.pem }',
      'drain: 10s',
    ].join('\n'),
  );
  if (loaded.kind === 'invalid') throw new Error(loaded.problems.map(problemLine).join('\n'));
  expect(loaded.config.policies.network).toMatchObject({
    hosts: ['holter.example.org', '10.1.2.3', '[fd00::1]', '[::2]', 'pager.example.org'],
    trustedProxies: ['127.0.0.1', '10.0.0.0/24', 'fd00::/8'],
    drainMs: 10_000,
  });
  expect(loaded.config.tls).toEqual({ cert: '/etc/holter/tls/cert.pem', key: '/run/key.pem' });
});

it.each([
  ['hosts: ["*"]', /hosts must be a list of at most 100 host names/],
  ['hosts: ["https://holter.example.org"]', /hosts must be/],
  ['hosts: ["holter.example.org:443"]', /hosts must be/],
  ['hosts: ["holter.example.org."]', /hosts must be/],
  ['hosts: ["user@holter.example.org"]', /hosts must be/],
  ['hosts: [".example.org"]', /hosts must be/],
  ['hosts: holter.example.org', /hosts must be a list/],
  ['trusted_proxies: [proxy.example.org]', /trusted_proxies must be/],
  ['trusted_proxies: [10.0.0.0/33]', /trusted_proxies must be/],
  ['trusted_proxies: ["10.0.0.0/"]', /trusted_proxies must be/],
  ['tls: { cert: cert.pem }', /tls needs both cert and key/],
  ['drain: 2m', /drain must be/],
])('%s is an error', (text, line) => {
  const loaded = load(text);
  expect(loaded.kind === 'invalid' && loaded.problems.map(problemLine).join('\n')).toMatch(line);
});
