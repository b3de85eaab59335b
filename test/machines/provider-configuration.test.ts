import { expect, it } from 'vitest';
import { reconcilerOf, turnsOf } from '../../functions/catalog.ts';
import { resolveConfig } from '../../shared/config/resolve.ts';

const turns = (cluster: object) => {
  const resolved = resolveConfig({ clusters: { a: { server: 'http://127.0.0.1:1', ...cluster } } });
  if (!resolved.ok) throw new Error(JSON.stringify(resolved));
  return turnsOf(reconcilerOf('machine-providers'), resolved.config);
};

it('Providers are left alone unless the configuration says otherwise: another manager may run them', () => {
  expect(turns({})).toEqual([]);
  expect(turns({ machineProviders: {} })).toEqual([{ name: 'a', everySeconds: 30 }]);
  expect(turns({ machineProviders: { everySeconds: '5s' } })).toEqual([{ name: 'a', everySeconds: 5 }]);
});
