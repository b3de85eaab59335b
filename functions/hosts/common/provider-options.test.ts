import { expect, it } from 'vitest';
import { type ConfigInput, resolveConfig } from '../../../shared/config.ts';
import { providerOptions } from './provider-options.ts';

function optionsOf(input: ConfigInput, provider: string) {
  const read = resolveConfig(input);
  if (!read.ok) throw new Error(read.text);
  const cluster = read.config.clusters.east;
  if (cluster === undefined) throw new Error('there is no cluster east');
  return providerOptions(read.config.providers[provider], cluster);
}
const east = { server: 'http://127.0.0.1:1' };

it('gives a provider of Azure its place, with what the cluster says before what the provider says', () => {
  const options = optionsOf(
    {
      clusters: { east: { ...east, azure: { clusterName: 'aks-east', resourceGroup: 'edge' } } },
      providers: {
        aks: {
          type: 'aks',
          subscription: 's',
          resourceGroup: 'gpu',
          credential: { type: 'managed-identity' },
          deadlines: { launch: '5m' },
          writeSeconds: 40,
        },
      },
    },
    'aks',
  );
  expect(options).toEqual({
    subscription: 's',
    resourceGroup: 'edge',
    clusterName: 'aks-east',
    credential: { type: 'managed-identity' },
    cloud: {},
    writeSeconds: 40,
  });
});

it('keeps what is of Azure from the simulated cloud', () => {
  const url = 'http://127.0.0.1:2';
  const input: ConfigInput = {
    clusters: { east: { ...east, azure: { clusterName: 'x' } } },
    providers: { sim: { type: 'sim', url, idempotency: 'name' } },
  };
  expect(optionsOf(input, 'sim')).toEqual({ url, idempotency: 'name' });
});
