/** The HTTP functions over a world in which something can be bought. */
import { createHttpApp } from '../../functions/http/app.ts';
import type { Json } from '../../shared/base/json.ts';
import type { TestWorld } from '../nodes/world.ts';
import { token } from './world.ts';

export interface MarketAnswer {
  status: number;
  json: { [key: string]: Json };
}

export type Ask = (method: string, path: string, body?: Json) => Promise<MarketAnswer>;

export async function askMarket(world: TestWorld): Promise<Ask> {
  await world.createNodeClass('default');
  const app = createHttpApp({
    members: () => [],
    services: world.services,
    token: () => token,
    ready: async () => ({ ready: true, checks: {} }),
    version: '1.2.3',
  });
  return async (method, path, body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const request = new Request(`http://127.0.0.1${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const response = await app.fetch(request);
    return { status: response.status, json: (await response.json()) as { [key: string]: Json } };
  };
}
