/** What an app finds in its environment when it serves one AKS cluster; and, for the loader, what its first call brings. */
import { makeEvent } from '../../events/make.ts';

const uid = '7b0c6d8e-2a41-4c55-9d0f-3f1f6f0c9a10';

/** As the deployment writes it. */
const configuration = JSON.stringify({
  deployment: 'bench',
  clusters: { east: { server: 'https://127.0.0.1:1', token: 'none' } },
  providers: {
    aks: {
      type: 'aks',
      subscription: uid,
      resourceGroup: 'gpu',
      clusterName: 'east',
      location: 'westeurope',
      credential: { type: 'managed-identity' },
    },
  },
});

export function appSettings(): Record<string, string> {
  const event = makeEvent(
    'dev.poolwright.claim.changed.v1',
    { cluster: 'east', name: 'web', uid, generation: 1, deleting: false, observedBy: 'bridge' },
    { id: '1', time: 0, source: '/bridge/east', subject: 'east/web' },
  );
  return {
    POOLWRIGHT_CONFIG: configuration,
    ServiceBus__fullyQualifiedNamespace: 'poolwright.servicebus.windows.net',
    State__tableServiceUri: 'https://poolwright.table.core.windows.net',
    AZURE_TENANT_ID: uid,
    AZURE_CLIENT_ID: uid,
    BENCH_EVENT: JSON.stringify(event),
    BENCH_DURABLE_CLIENT: JSON.stringify({
      taskHubName: 'poolwright',
      rpcBaseUrl: 'http://127.0.0.1:1/durabletask/',
      requiredQueryStringParameters: 'code=none',
    }),
  };
}
