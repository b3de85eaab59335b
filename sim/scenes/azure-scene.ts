/** The demo on agent pools of AKS and Arc, on the stand-in for Azure. */
import { claimOf, impatience, type Scene, wishesWith } from './scene.ts';

/** An AKS cluster runs one of these operations at a time. */
const settings = { createSeconds: 0.8, readySeconds: 0.5, deleteSeconds: 0.4, retryAfterSeconds: 0.2, seed: 1 };

/** As KAITO makes its claims: the node class has no object, and the disk is asked for. */
const azureScene = (name: 'aks' | 'arc', isMachine: Scene['isMachine']): Scene => {
  const wishes = wishesWith(name === 'aks');
  return {
    name,
    exampleSettings: '{"createSeconds": 5}',
    cloud: 'the stand-in for Azure',
    choosesItself: false,
    simulate: ['--provider', name, '--settings', JSON.stringify(settings)],
    wishes,
    claim: (claim) =>
      claimOf(
        wishes[claim],
        claim,
        { group: 'kaito.sh', kind: 'KaitoNodeClass', name: 'default' },
        { storage: '64Gi' },
      ),
    provider: ({ standIn }) => ({ type: name, ...standIn?.options[name], ...impatience }),
    hostEnv: ({ standIn }) => standIn?.env ?? {},
    isMachine,
    start,
  };
};

/** Both kinds of cluster are there whichever is asked for: they share Azure, and the machines of both join one cluster. */
const start: NonNullable<Scene['start']> = async (where, given) => {
  const [{ startAzureWorld, providerOptions, standInSecretVariable }, { readAzureSettings }] = await Promise.all([
    import('./azure.ts'),
    import('./azure-settings.ts'),
  ]);
  const read = given === undefined ? {} : { azure: readAzureSettings(given) };
  const { cluster, azure, close } = await startAzureWorld({ ...where, ...read });
  const standIn = { options: providerOptions(azure), env: { [standInSecretVariable]: azure.secret } };
  return { places: { cluster: cluster.url, cloud: azure.control, standIn }, close };
};

// On Azure, instances are pools, and a providerID has the pool's name within it.
export const aks = azureScene('aks', (providerID, pool) => providerID.includes(`/aks-${pool}-`));
export const arc = azureScene('arc', (providerID, pool) => providerID.includes(`-${pool}-md-`));
