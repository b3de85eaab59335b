/** Where variables alone configure Azure there are both providers, and usually a cluster of one type only. */
import { expect, it, onTestFinished } from 'vitest';
import { manifestOf } from '../../shared/providers/manifests.ts';
import { startAzure } from '../../sim/azure/start.ts';
import { testContext } from '../stand-ins/provider-context.ts';

it.each(['aks', 'arc'] as const)(
  'a cluster that Azure does not know has no pools of type %s, if that is allowed',
  async (kind) => {
    const other = kind === 'aks' ? 'arc' : 'aks';
    const azure = await startAzure({ clusters: [{ kind: other, name: 'east' }] });
    onTestFinished(() => azure.close());
    const [cluster] = azure.clusters;
    const listed = async (clusterMayBeAbsent: boolean) => {
      const made = await (await manifestOf(kind)!.load()).createProvider(
        {
          subscription: cluster!.subscription,
          resourceGroup: cluster!.resourceGroup,
          clusterName: 'east',
          location: 'eastus',
          tenant: azure.tenant,
          credential: { type: 'client-secret', clientId: azure.clientId },
          cloud: { authorityHost: azure.authority, armEndpoint: azure.url, audience: 'https://management.azure.com' },
          certificateAuthority: azure.certificate,
          prices: false,
          clusterMayBeAbsent,
        },
        testContext({ env: { AZURE_CLIENT_SECRET: azure.secret } }),
      );
      if (!made.ok) throw new Error(made.error.message);
      onTestFinished(() => made.value.close?.());
      const owner = { deployment: 'd', cluster: 'c' };
      const signal = new AbortController().signal;
      const list = await made.value.list(owner, undefined, signal);
      const checks = (await made.value.check?.(owner, signal)) ?? [];
      return {
        list: list.ok ? list.value.items : list.error.kind,
        failed: checks.some(({ state }) => state === 'fail'),
      };
    };
    expect(await listed(true)).toEqual({ list: [], failed: false });
    expect(await listed(false)).toEqual({ list: 'invalid', failed: true });
  },
);
