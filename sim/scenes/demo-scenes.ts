/** Where the demo plays: on the simulated cloud, or on a stand-in for Azure or AWS. The story is one. */

import type { Json } from '../../shared/base/json.ts';
import { labels } from '../../shared/nodes/claims/spec/well-known.ts';
import { ec2NodeClass } from './aws-node-class.ts';

export const sceneNames = ['sim', 'aks', 'arc', 'ec2'] as const;
export type SceneName = (typeof sceneNames)[number];

type JsonObject = { [key: string]: Json };

/** Where things are, as the process that simulates them says. */
export interface Places {
  cluster: string;
  /** The ledger and the faults. */
  cloud: string;
  /** What the configuration of a provider needs, and the host's environment, on a stand-in for somebody's cloud. */
  standIn?: { options: { [kind: string]: JsonObject }; env: Record<string, string> };
}

export interface Wish {
  /** As the table shows it. */
  wants: string;
  capacityTypes: string[];
  requests: Record<string, string>;
}

export interface Scene {
  readonly name: SceneName;
  /** What starts with the cluster. */
  readonly cloud: string;
  /** Of `poolwright simulate`, besides the data directory. */
  readonly simulate: readonly string[];
  readonly wishes: Readonly<Record<string, Wish>>;
  /** Whether one call names many offerings, of which the cloud takes one that it has. */
  readonly choosesItself: boolean;
  /** Made before the claims; absent where they need none. */
  readonly nodeClass?: JsonObject;
  claim(name: string): JsonObject;
  provider(at: Places): JsonObject;
  hostEnv(at: Places): Record<string, string>;
  /** Whether a providerID is that of the instance in the ledger. */
  isMachine(providerID: string, instance: string): boolean;
}

/**
 * A write may take so long and no longer. The last claim stays until no write of the killed host can arrive any more, so
 * this is waited for; yet the kill must hit while the host still hopes for the cloud's answer.
 */
const impatience = { writeSeconds: 4, latenessSeconds: 0, listLagSeconds: 0 };

const anyCapacity = ['spot', 'on-demand'];

const wishesWith = (spot: boolean): Readonly<Record<string, Wish>> => {
  const web: Wish = {
    wants: '2 CPU, any capacity',
    capacityTypes: anyCapacity,
    requests: { cpu: '2', memory: '4Gi' },
  };
  const database: Wish = {
    wants: '24 GiB, on demand',
    capacityTypes: ['on-demand'],
    requests: { cpu: '2', memory: '24Gi' },
  };
  const batch: Wish = {
    wants: spot ? '6 CPU, spot' : '6 CPU',
    capacityTypes: spot ? ['spot'] : anyCapacity,
    requests: { cpu: '6' },
  };
  const gpu: Wish = { wants: '1 GPU', capacityTypes: anyCapacity, requests: { 'nvidia.com/gpu': '1' } };
  return {
    'web-1': web,
    'db-1': database,
    'batch-1': batch,
    'web-2': web,
    'web-3': web,
    'gpu-1': gpu,
    'gpu-2': gpu,
    'batch-2': batch,
  };
};

function claimOf(wish: Wish | undefined, name: string, nodeClassRef: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name },
    spec: {
      nodeClassRef,
      requirements: [{ key: labels.capacityType, operator: 'In', values: wish?.capacityTypes ?? anyCapacity }],
      resources: { requests: { ...wish?.requests, ...more } },
    },
  };
}

/** Times as in a small cloud, shrunk to what one likes to watch. */
const cloudSettings = { bootSeconds: 1.5, readySeconds: 0.5, deleteSeconds: 0.6, seed: 1 };
/** Of these operations an AKS cluster takes one at a time. */
const azureSettings = { createSeconds: 0.8, readySeconds: 0.5, deleteSeconds: 0.4, retryAfterSeconds: 0.2, seed: 1 };

const sim: Scene = {
  name: 'sim',
  cloud: 'the simulated cloud',
  choosesItself: false,
  simulate: ['--settings', JSON.stringify(cloudSettings)],
  wishes: wishesWith(true),
  nodeClass: {
    apiVersion: 'poolwright.dev/v1alpha1',
    kind: 'SimNodeClass',
    metadata: { name: 'default' },
    spec: {},
  },
  claim: (name) => claimOf(sim.wishes[name], name, { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' }),
  provider: ({ cloud }) => ({ type: 'sim', url: cloud, ...impatience }),
  hostEnv: () => ({}),
  isMachine: (providerID, instance) => providerID.endsWith(`/${instance}`),
};

/** As KAITO makes its claims: the node class has no object, and the disk is asked for. */
const azureScene = (name: 'aks' | 'arc', isMachine: Scene['isMachine']): Scene => {
  const wishes = wishesWith(name === 'aks');
  return {
    name,
    cloud: 'the stand-in for Azure',
    choosesItself: false,
    simulate: ['--provider', name, '--settings', JSON.stringify(azureSettings)],
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
  };
};

const awsSettings = { pendingSeconds: 1.5, readySeconds: 0.5, shutdownSeconds: 0.6, seed: 1 };

const ec2: Scene = {
  name: 'ec2',
  cloud: 'the stand-in for AWS',
  choosesItself: true,
  simulate: ['--provider', 'ec2', '--settings', JSON.stringify(awsSettings)],
  wishes: wishesWith(true),
  nodeClass: ec2NodeClass(),
  claim: (name) =>
    claimOf(ec2.wishes[name], name, { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' }),
  provider: ({ standIn }) => ({ type: 'ec2', ...standIn?.options.ec2, ...impatience }),
  hostEnv: ({ standIn }) => standIn?.env ?? {},
  isMachine: (providerID, instance) => providerID.endsWith(`/${instance}`),
};

/** On Azure, instances are pools, and a providerID has the pool's name within it. */
export const scenes: Readonly<Record<SceneName, Scene>> = {
  sim,
  aks: azureScene('aks', (providerID, pool) => providerID.includes(`/aks-${pool}-`)),
  ec2,
  arc: azureScene('arc', (providerID, pool) => providerID.includes(`-${pool}-md-`)),
};
