/** A request as it is read back, as much of it as an explanation needs. Nothing here is trusted to be well-formed. */
import type { Condition } from '../../base/kubernetes/object.ts';

export interface SeenStage {
  name: string;
  state: string;
  startedAt?: string;
  finishedAt?: string;
  waitingFor?: string;
  code?: string;
  message?: string;
}

export interface SeenRequest {
  metadata: {
    name: string;
    namespace: string;
    uid?: string;
    generation?: number;
    creationTimestamp?: string;
    deletionTimestamp?: string;
  };
  /** As its author wrote it. */
  spec: unknown;
  status?: {
    observedGeneration?: number;
    stage?: string;
    stages?: readonly SeenStage[];
    cluster?: { fqdn?: string; kubernetesVersion?: string };
    expiresAt?: string;
    conditions?: readonly Condition[];
  };
}
