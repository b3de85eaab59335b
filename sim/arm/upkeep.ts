/** What happens in new clusters without anybody asking: their nodes become Ready, node auto-provisioning serves its kinds. */
import type { AzureWorld } from '../aso/azure/world.ts';
import { keepCluster } from '../aso/new-clusters/keep.ts';
import type { NewClusters } from '../aso/new-clusters/new-clusters.ts';
import { never, type Operator } from '../aso/operator.ts';
import { types } from './shapes.ts';

type Parts = Pick<Operator, 'azure' | 'clusters' | 'settings' | 'faults' | 'clock'>;

/** Looked at so often while anything may be under way. */
const everyMs = 250;

export class Upkeep {
  readonly #parts: Parts;
  #changes = 0;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  /** @param wakeByItself False where a test moves the clock. */
  constructor(parts: Parts, wakeByItself: boolean) {
    this.#parts = parts;
    if (!wakeByItself) return;
    this.#timer = setInterval(() => void this.settle().catch(() => {}), everyMs);
    this.#timer.unref();
  }

  changed(): void {
    this.#changes += 1;
  }

  /** One after the other: two rounds at once would make nodes twice. */
  settle(): Promise<void> {
    this.#running = this.#running.catch(() => {}).then(() => this.#round());
    return this.#running;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running.catch(() => {});
  }

  async #round(): Promise<void> {
    const { azure, clusters } = this.#parts;
    await startMade(azure, clusters);
    for (let before = -1; before !== this.#changes; ) {
      before = this.#changes;
      for (const { id } of clusters.all()) {
        const at = await keepCluster(this.#parts, id);
        if (at !== never && at <= this.#parts.clock.now()) this.#changes += 1;
      }
    }
    await clusters.reap();
  }
}

async function startMade(azure: AzureWorld, clusters: NewClusters): Promise<void> {
  for (const one of azure.living()) {
    if (one.type === types.cluster && Object.keys(one.facts).length > 0) await clusters.ensure(one);
  }
}
