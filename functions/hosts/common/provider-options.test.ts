import { expect, it } from 'vitest';
import { type ConfigInput, resolveConfig } from '../../../shared/config/load.ts';
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

it('gives the provider of EC2 its own fields, with what the cluster says before what the provider says', () => {
  const ec2 = { type: 'ec2' as const, region: 'eu-west-1', serveEc2NodeClasses: true, prices: false };
  const input: ConfigInput = {
    clusters: { east: { ...east, azure: { location: 'x' }, aws: { clusterName: 'eks-east', region: 'eu-north-1' } } },
    providers: { ec2: { ...ec2, requestRates: { CreateFleet: { burst: 5, perSecond: 2 } } } },
  };
  expect(optionsOf(input, 'ec2')).toEqual({
    region: 'eu-north-1',
    clusterName: 'eks-east',
    serveEc2NodeClasses: true,
    prices: false,
    requestRates: { CreateFleet: { burst: 5, perSecond: 2 } },
  });
});

it('tells fields of another cloud', () => {
  const read = resolveConfig({
    clusters: { east },
    providers: { ec2: { type: 'ec2', location: 'x' }, aks: { type: 'aks', region: 'eu-west-1' } },
  });
  const text = read.ok ? '' : read.text;
  expect(text).toContain(
    'providers.ec2.location belongs to providers of type aks and arc, but this provider is of type ec2',
  );
  expect(text).toContain('providers.aks.region belongs to providers of type ec2, but this provider is of type aks');
});
