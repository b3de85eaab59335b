/** The claims of the demo: what people really ask for, in small. */
import { labels } from '../../shared/claims/well-known.ts';
import type { Json } from '../../shared/json.ts';

interface Wish {
  /** As the table shows it. */
  wants: string;
  capacityTypes: string[];
  requests: Record<string, string>;
}

const web: Wish = {
  wants: '2 CPU, any capacity',
  capacityTypes: ['spot', 'on-demand'],
  requests: { cpu: '2', memory: '4Gi' },
};
const database: Wish = {
  wants: '24 GiB, on demand',
  capacityTypes: ['on-demand'],
  requests: { cpu: '2', memory: '24Gi' },
};
const batch: Wish = { wants: '6 CPU, spot', capacityTypes: ['spot'], requests: { cpu: '6' } };
const gpu: Wish = { wants: '1 GPU', capacityTypes: ['spot', 'on-demand'], requests: { 'nvidia.com/gpu': '1' } };

export const wishes: Readonly<Record<string, Wish>> = {
  'web-1': web,
  'db-1': database,
  'batch-1': batch,
  'web-2': web,
  'web-3': web,
  'gpu-1': gpu,
  'gpu-2': gpu,
  'batch-2': batch,
};

export const nodeClass: { [key: string]: Json } = {
  apiVersion: 'poolwright.dev/v1alpha1',
  kind: 'SimNodeClass',
  metadata: { name: 'default' },
  spec: {},
};

export function claimNamed(name: string): { [key: string]: Json } {
  const wish = wishes[name] ?? web;
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name },
    spec: {
      nodeClassRef: { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' },
      requirements: [{ key: labels.capacityType, operator: 'In', values: wish.capacityTypes }],
      resources: { requests: wish.requests },
    },
  };
}
