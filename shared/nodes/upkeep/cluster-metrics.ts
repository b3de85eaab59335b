/** What the nodes of a cluster have together, for the metrics: counted while its claims are listed, written when the list is whole. */
import { isTrue } from '../../kube/conditions.ts';
import type { GaugeSample, Metrics } from '../../observe/metrics.ts';
import { toNumber } from '../claims/spec/quantity-number.ts';
import { parseResources, type Resources, subtractResources } from '../claims/spec/resources.ts';
import { conditionTypes, labels } from '../claims/spec/well-known.ts';
import type { StoredClaim } from '../steps/claim-access.ts';
import { nodePoolOf } from '../steps/pool-owner.ts';

type Sums = Map<string, GaugeSample<string>>;

export class ClusterMetrics {
  readonly #metrics: Metrics;
  readonly #cluster: string;
  readonly #allocatable: Sums = new Map();
  readonly #overhead: Sums = new Map();
  #nodes = 0;

  constructor(metrics: Metrics, cluster: string) {
    this.#metrics = metrics;
    this.#cluster = cluster;
  }

  /** A list begins anew. */
  clear(): void {
    this.#allocatable.clear();
    this.#overhead.clear();
    this.#nodes = 0;
  }

  /** Claims without a node have none of its resources yet. */
  add(claim: StoredClaim): void {
    const { status } = claim;
    if (!isTrue(status?.conditions, conditionTypes.registered)) return;
    this.#nodes += 1;
    const capacity = parseResources(status?.capacity);
    const allocatable = parseResources(status?.allocatable);
    if (!capacity.ok || !allocatable.ok) return;
    const of = claim.metadata.labels ?? {};
    const shared = {
      nodepool: this.#metrics.nodePool(nodePoolOf(claim)),
      instance_type: of[labels.instanceType] ?? '',
      zone: of[labels.zone] ?? '',
      capacity_type: of[labels.capacityType] ?? '',
      arch: of[labels.arch] ?? '',
      os: of[labels.os] ?? '',
      cluster: this.#cluster,
    };
    this.#count(this.#allocatable, allocatable.value, shared);
    this.#count(this.#overhead, subtractResources(capacity.value, allocatable.value), shared);
  }

  write(): void {
    this.#metrics.nodesAllocatable.replace(this.#cluster, [...this.#allocatable.values()]);
    this.#metrics.nodesOverhead.replace(this.#cluster, [...this.#overhead.values()]);
    this.#metrics.stateNodeCount.set({ cluster: this.#cluster }, this.#nodes);
  }

  #count(sums: Sums, resources: Resources, shared: Readonly<Record<string, string>>): void {
    for (const [name, quantity] of resources) {
      const sample = { ...shared, resource_type: this.#metrics.resourceType(name) };
      const key = JSON.stringify(sample);
      sums.set(key, { labels: sample, value: (sums.get(key)?.value ?? 0) + toNumber(quantity) });
    }
  }
}
