/** A kind of nodes that teams choose by name, so that they need not know the sizes of Azure. */

export interface TypeTaint {
  readonly key: string;
  readonly value?: string | undefined;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}

export interface PoolType {
  readonly name: string;
  /** What it is good for. */
  readonly description: string;
  /** Family of VM sizes as Azure names it, such as `D`. */
  readonly family: string;
  /** Generations of the family that node auto-provisioning may choose from. */
  readonly versions: readonly string[];
  /** Sizes where exact ones are needed, the preferred one first. */
  readonly vmSizes: readonly string[];
  /** Sizes that a request may name. */
  readonly acceptedVmSizes: readonly string[];
  readonly limits: { readonly cpu: string; readonly memory: string };
  /** Taints of its nodes: a type for ordinary pods has none, or nothing fits. */
  readonly taints: readonly TypeTaint[];
}

export type PoolTypes = ReadonlyMap<string, PoolType>;
