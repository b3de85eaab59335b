import { expect, test } from 'vitest';
import { welcome } from '../../cli/commands/start/welcome.ts';

test('what is said at the start names the token that is valid', () => {
  const common = { url: 'http://127.0.0.1:1', directory: '/data', note: undefined, world: undefined };
  expect(welcome(common)).toContain('http://127.0.0.1:1 (token in /data/token)');
  expect(welcome({ ...common, tokenFile: '/etc/admin.token' })).toContain('(token in /etc/admin.token)');
});
