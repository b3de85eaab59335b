/** What the generator makes: plain objects, stage by stage, for a driver to apply in this order. */
import type { JsonObject } from '../../base/json.ts';
import type { Stage } from '../request/stages.ts';

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels: Record<string, string>; annotations?: Record<string, string> };
  spec: JsonObject;
}

/** Where in Azure it is: an object names others by their names in Kubernetes, which are not always those in Azure. */
export const placeAnnotations = {
  resourceGroup: 'poolwright.dev/resource-group',
  cluster: 'poolwright.dev/azure-cluster',
} as const;

export interface PlannedStage {
  stage: Stage;
  /** Where the manifests are applied: the management cluster, or the cluster that is being made. */
  cluster: 'management' | 'new';
  /** What has to be true before the next stage begins. */
  readyWhen: string;
  /** How long that may take. */
  deadlineSeconds: number;
  manifests: readonly Manifest[];
}
