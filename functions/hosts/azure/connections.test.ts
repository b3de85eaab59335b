import { expect, it } from 'vitest';
import { connectionFrom } from './connections.ts';

const from = (env: Record<string, string>) => connectionFrom(env, 'State', 'endpoint', 'tableServiceUri');

it('takes a connection string where there is one', () => {
  expect(from({ State: 'UseDevelopmentStorage=true', State__tableServiceUri: 'https://x' })).toEqual({
    ok: true,
    connection: { connectionString: 'UseDevelopmentStorage=true' },
  });
});

it('takes an address and an identity, which it does not ask for before it is used', () => {
  const found = from({ State__tableServiceUri: 'https://x.table.core.windows.net', State__clientId: 'id' });
  expect(found).toEqual({
    ok: true,
    connection: { endpoint: 'https://x.table.core.windows.net', credential: { getToken: expect.any(Function) } },
  });
});

it('names the settings that are missing', () => {
  expect(from({ State: '' })).toEqual({
    ok: false,
    problem: 'neither State__tableServiceUri nor State is set; set one of them in the app settings',
  });
});
