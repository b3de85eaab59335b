/** A request as it is read back, as much of it as an explanation needs. Nothing here is trusted to be well-formed. */

export interface SeenCondition {
  type: string;
  status: string;
  reason?: string | undefined;
  message?: string | undefined;
  lastTransitionTime?: unknown;
}

export interface SeenStage {
  name: string;
  state: string;
  startedAt?: string | undefined;
  finishedAt?: string | undefined;
  waitingFor?: string | undefined;
  code?: string | undefined;
  message?: string | undefined;
}

export interface SeenRequest {
  metadata: {
    name: string;
    namespace: string;
    uid?: string | undefined;
    generation?: number | undefined;
    creationTimestamp?: string | undefined;
    deletionTimestamp?: string | undefined;
  };
  /** As its author wrote it. */
  spec: unknown;
  status?: {
    observedGeneration?: number | undefined;
    stage?: string | undefined;
    stages?: readonly SeenStage[] | undefined;
    cluster?: { fqdn?: string | undefined; kubernetesVersion?: string | undefined } | undefined;
    expiresAt?: string | undefined;
    conditions?: readonly SeenCondition[] | undefined;
  };
}
