/** Agent pools of one node in AKS. */
import {
  azureSection,
  examplePlace,
  gpuProvisionerEnvironment,
  poolFlags,
  poolOptions,
} from '../agent-pools/manifest-parts.ts';
import type { ProviderManifest } from '../manifest.ts';
import { aksNodeClasses } from './kinds.ts';

export const manifest = {
  type: 'aks',
  title: 'AKS: agent pools of one node',
  nodeClasses: aksNodeClasses,
  options: poolOptions,
  perCluster: azureSection,
  example: { ...examplePlace, location: 'eastus' },
  texts: () => import('./texts.ts'),
  environment: gpuProvisionerEnvironment('aks'),
  access: { kind: 'aks', load: () => import('./client/cluster-access.ts') },
  resourceManager: () => import('../agent-pools/resource-manager.ts'),
  definitions: () => import('./node-class-definitions.ts'),
  flags: {
    ...poolFlags,
    location: { flag: '--location <name>', text: 'the region of the cluster', ask: 'Region of the cluster' },
  },
  wizard: () => import('./wizard.ts'),
  load: () => import('./module.ts'),
} as const satisfies ProviderManifest;
