/** Agent pools of one node in AKS on Azure Arc (Azure Local). */
import {
  azureSection,
  examplePlace,
  gpuProvisionerEnvironment,
  poolFlags,
  poolOptions,
} from '../agent-pools/manifest-parts.ts';
import type { ProviderManifest } from '../manifest.ts';
import { arcNodeClasses } from './kinds.ts';

export const manifest = {
  type: 'arc',
  title: 'Azure Local, connected by Arc',
  nodeClasses: arcNodeClasses,
  options: (fields) => ({ ...poolOptions(fields), customLocation: fields.optional(fields.text) }),
  perCluster: azureSection,
  example: examplePlace,
  texts: () => import('./texts.ts'),
  environment: gpuProvisionerEnvironment('arc'),
  access: { kind: 'arc', load: () => import('./client/cluster-access.ts') },
  definitions: () => import('./node-class-definitions.ts'),
  flags: poolFlags,
  wizard: () => import('./wizard.ts'),
  load: () => import('./module.ts'),
} as const satisfies ProviderManifest;
