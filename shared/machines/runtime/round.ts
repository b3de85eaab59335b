/** What one look at a Provider has found. */
import type { KubeObject } from '../../kube/contract.ts';
import type { Probed } from './probe.ts';
import type { ProviderProblem } from './problems.ts';

export interface DeploymentObject extends KubeObject {
  spec?: {
    replicas?: number;
    selector?: { matchLabels?: Record<string, string> };
    template?: { spec?: { volumes?: { name: string; secret?: { secretName?: string } }[] } };
  };
  status?: {
    observedGeneration?: number;
    replicas?: number;
    updatedReplicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
  };
}

export interface Round {
  /** Something in the way, which ended the round there. */
  problem?: ProviderProblem;
  tls?: { how: 'issued' | 'given' | 'plain' };
  runtime?: { name: string; deployment: DeploymentObject; trouble?: ProviderProblem };
  /** Absent: it was not asked in this round, and what was known of it holds. */
  probed?: Probed;
  machines?: number;
  removing?: { waitsFor: number };
}

export const isRunning = ({ status }: DeploymentObject): boolean => (status?.readyReplicas ?? 0) > 0;

/** Every pod is of the newest template, and ready. */
export function isRolledOut({ metadata, spec, status = {} }: DeploymentObject): boolean {
  const wanted = spec?.replicas ?? 1;
  const seen = (status.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  return seen && (status.updatedReplicas ?? 0) >= wanted && (status.readyReplicas ?? 0) >= wanted;
}
