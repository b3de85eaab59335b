/** What a scene is: a cloud and a cluster on this machine, and the claims that the demo makes there. The story is one. */

import type { Json } from '../../shared/base/json.ts';
import { labels } from '../../shared/nodes/claims/spec/well-known.ts';

export type JsonObject = { [key: string]: Json };

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
  /** The type of the provider that it is for. */
  readonly name: string;
  /** What starts with the cluster. */
  readonly cloud: string;
  /** For the help: `--settings` with a field that this cloud has. */
  readonly exampleSettings: string;
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
  /** Starts a cluster and the stand-in for somebody's cloud; absent: the simulated cloud, which needs none. */
  start?(where: SceneDirectory, settings: string | undefined): Promise<StartedScene>;
}

export interface SceneDirectory {
  directory: string;
  clusterPort?: number;
  cloudPort?: number;
}

export interface StartedScene {
  /** What the process that started it tells on its first line. */
  places: object;
  close(): Promise<void>;
}

/**
 * A write may take so long and no longer. The last claim stays until no write of the killed host can arrive any more, so
 * this is waited for; yet the kill must hit while the host still hopes for the cloud's answer.
 */
export const impatience = { writeSeconds: 4, latenessSeconds: 0, listLagSeconds: 0 };

const anyCapacity = ['spot', 'on-demand'];

export const wishesWith = (spot: boolean): Readonly<Record<string, Wish>> => {
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

export function claimOf(
  wish: Wish | undefined,
  name: string,
  nodeClassRef: JsonObject,
  more: JsonObject = {},
): JsonObject {
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
