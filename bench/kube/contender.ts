/** Who is measured: Karpenter or Poolwright, on an API server of its own, with nodes that take the same time to boot. */
import type { Json } from '../../shared/base/json.ts';
import type { KubeApiserver } from '../../test/kube/apiserver.ts';
import type { Measured } from './processes.ts';

/** From the create of a machine until its Node is made. Node classes of kwok know whole seconds only. */
export const bootSeconds = 1;

export interface Contender {
  readonly name: string;
  /** How its requests are known in the audit log: its user agent begins so. */
  readonly agent: string;
  /** Starts it, and whatever it needs in the cluster. */
  start(server: KubeApiserver, directory: string): Promise<Running>;
  /** A claim as its users would write it. */
  claim(name: string): Json;
}

export interface Running {
  /** All processes that belong to the provisioner. */
  readonly provisioner: readonly Measured[];
  /** What makes Nodes instead of machines, where it is not a part of the provisioner: its processor time counts as well. */
  readonly cloud: readonly Measured[];
  end(): Promise<void>;
}
