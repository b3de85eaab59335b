import { describe, expect, it } from 'vitest';
import { loadConfig, resolveConfig } from './load.ts';

const east = { server: 'http://127.0.0.1:1' };
const textOf = (result: ReturnType<typeof resolveConfig>): string => (result.ok ? '' : result.text);

describe('providers of Azure', () => {
  it('have fields of their own, and the simulated cloud has its URL', () => {
    const read = resolveConfig({
      providers: {
        aks: { type: 'aks', subscription: 's', credential: { type: 'managed-identity' }, operationsAtOnce: 3 },
        arc: { type: 'arc', customLocation: 'c' },
        sim: { type: 'sim', url: 'http://127.0.0.1:1' },
      },
      clusters: { east: { ...east, azure: { clusterName: 'aks-east' } } },
    });
    expect(read.ok && read.config.providers.aks).toMatchObject({ operationsAtOnce: 3 });
    expect(read.ok && read.config.clusters.east?.azure.clusterName).toBe('aks-east');
  });

  it('refuse the fields of another type by name', () => {
    const text = textOf(
      resolveConfig({
        providers: {
          aks: { type: 'aks', url: 'http://127.0.0.1:1', customLocation: 'x' },
          sim: { type: 'sim', url: 'http://127.0.0.1:1', tenant: 't' },
        },
      }),
    );
    expect(text).toContain('providers.aks.url belongs to providers of type sim, but this provider is of type aks');
    expect(text).toContain('providers.aks.customLocation belongs to providers of type arc');
    expect(text).toContain('providers.sim.tenant belongs to providers of type aks and arc');
  });

  it('can be set by variables, field by field', () => {
    const env = {
      POOLWRIGHT_PROVIDERS_AKS_TYPE: 'aks',
      POOLWRIGHT_PROVIDERS_AKS_RESOURCE_GROUP: 'gpu',
      POOLWRIGHT_PROVIDERS_AKS_CREDENTIAL_CLIENT_ID: 'me',
      POOLWRIGHT_PROVIDERS_AKS_CLOUD_ARM_ENDPOINT: 'https://management.local',
    };
    const read = loadConfig(undefined, env);
    expect(read.ok && read.config.providers.aks).toMatchObject({
      resourceGroup: 'gpu',
      credential: { clientId: 'me' },
      cloud: { armEndpoint: 'https://management.local' },
    });
  });
});

describe("gpu-provisioner's environment", () => {
  it('makes both providers where none is configured, so that the cluster can switch between them', () => {
    const of = (env: Record<string, string>) => {
      const read = loadConfig(undefined, env, { clusters: { east } });
      return read.ok ? [Object.keys(read.config.providers), read.config.clusters.east?.providers] : read.text;
    };
    const both = ['aks', 'arc'];
    expect(of({ ARM_SUBSCRIPTION_ID: 's' })).toEqual([both, both]);
    expect(of({ ARM_SUBSCRIPTION_ID: 's', AZURE_PROVIDER_TYPE: 'arc' })).toEqual([both, both]);
    expect(of({ ARM_SUBSCRIPTION_ID: '', AZURE_PROVIDER_TYPE: '' })).toEqual([[], []]);
    expect(of({ LOCATION: 'eastus' })).toEqual([[], []]);
  });

  it.each(['aks', 'arc'])('expects a cluster of the type %s, and minds no other', (wanted) => {
    const read = loadConfig(
      undefined,
      { ARM_SUBSCRIPTION_ID: 's', AZURE_PROVIDER_TYPE: wanted },
      { clusters: { east } },
    );
    const lax = Object.entries(read.ok ? read.config.providers : {}).filter(
      ([, options]) => 'clusterMayBeAbsent' in options && options.clusterMayBeAbsent,
    );
    expect(lax.map(([name]) => name)).toEqual([wanted === 'aks' ? 'arc' : 'aks']);
  });

  it('adds nothing to what is configured', () => {
    const providers = { sim: { type: 'sim' as const, url: 'http://127.0.0.1:1' } };
    const read = loadConfig(undefined, { ARM_SUBSCRIPTION_ID: 's' }, { providers });
    expect(read.ok && Object.keys(read.config.providers)).toEqual(['sim']);
  });

  it('stops at the start for a type that there is not', () => {
    const read = loadConfig(undefined, { AZURE_PROVIDER_TYPE: 'eks' });
    expect(textOf(read).split('\n').at(-1)?.trim()).toBe("invalid provider type: eks, must be 'aks' or 'arc'");
  });
});

describe('access by the cloud', () => {
  const aks = { type: 'aks' as const };

  it('needs a provider of that type among those of the cluster', () => {
    expect(resolveConfig({ clusters: { east: { access: 'aks' } }, providers: { aks } }).ok).toBe(true);
    const text = textOf(resolveConfig({ clusters: { east: { access: 'arc' } }, providers: { aks } }));
    expect(text).toContain("clusters.east.access needs a provider of type arc among this cluster's providers");
    const misspelled = textOf(resolveConfig(JSON.parse('{"clusters": {"east": {"access": "asks"}}}')));
    expect(misspelled).toContain('clusters.east.access must be one of: aks, arc, eks');
    expect(misspelled).not.toContain('needs a provider');
  });

  it('may stand beside an address, and beside no other credentials', () => {
    const server = { server: 'https://east.example', certificateAuthority: 'ca.pem' };
    expect(resolveConfig({ clusters: { east: { access: 'aks', ...server } }, providers: { aks } }).ok).toBe(true);
    const text = textOf(
      resolveConfig({ clusters: { east: { access: 'aks', kubeconfig: 'x', token: 'y' } }, providers: { aks } }),
    );
    expect(text).toContain('clusters.east.kubeconfig cannot be combined with access');
    expect(text).toContain('clusters.east.token cannot be combined with access');
  });
});

it('names a Key Vault reference that the platform did not resolve, wherever it stands', () => {
  const token = '@Microsoft.KeyVault(SecretUri=https://v.vault.azure.net/secrets/t)';
  const text = textOf(resolveConfig({ clusters: { east: { server: 'https://east.example', token } } }));
  expect(text).toContain('clusters.east.token is a Key Vault reference that the platform has not resolved');
  expect(text).not.toContain('SecretUri');
});
