/**
 * The instance group in which people find the VMs of a cluster together. A deploy makes it where there is none, so it may be deleted
 * whenever nothing is in it: the next VM of the cluster brings it back. CloudStack itself deletes none.
 */
import type { JsonObject } from '../../../base/json.ts';
import type { Result } from '../../../base/result.ts';
import type { Clock } from '../../../base/runtime.ts';
import type { CloudStackClient } from '../../../platforms/cloudstack/client.ts';
import type { Params } from '../../../platforms/cloudstack/fields.ts';
import type { State } from '../../../state/contract.ts';
import type { InstanceTags } from '../../contract.ts';
import { groupFor } from './ownership.ts';

export interface InstanceGroupsParts {
  client: Pick<CloudStackClient, 'call' | 'list'>;
  scope(signal: AbortSignal): Promise<Result<Params>>;
  state: State;
  clock: Clock;
}

/** A cluster that comes and goes keeps it; no call is spent on it more often either. */
const emptyMs = 600_000;
const lookEverySeconds = 86_400;

export class InstanceGroups {
  readonly #parts: InstanceGroupsParts;

  constructor(parts: InstanceGroupsParts) {
    this.#parts = parts;
  }

  /** Whatever goes wrong here costs nothing and is tried again a day later. */
  async sweep(
    owner: Pick<InstanceTags, 'deployment' | 'cluster'>,
    { empty }: { empty: boolean },
    signal: AbortSignal,
  ): Promise<void> {
    const { client, scope, state, clock } = this.#parts;
    const key = `cloudstack/instance-group/${owner.cluster}`;
    const seen = await state.get<{ emptyAt: number; lookedAt?: number }>(key).catch(() => undefined);
    if (!empty) {
      if (seen !== undefined) await state.delete(key).catch(() => undefined);
      return;
    }
    const { emptyAt = clock.now(), lookedAt } = seen?.value ?? {};
    if (lookedAt !== undefined) return;
    const isDue = clock.now() - emptyAt >= emptyMs;
    const kept = { emptyAt, ...(isDue ? { lookedAt: clock.now() } : {}) };
    await state.put(key, kept, { ttlSeconds: lookEverySeconds }).catch(() => undefined);
    if (!isDue) return;
    const where = await scope(signal);
    if (!where.ok) return;
    const name = groupFor(owner);
    const listed = await client.list<JsonObject>('listInstanceGroups', { name, ...where.value }, signal);
    if (!listed.ok) return;
    // CloudStack may compare parts of names.
    for (const group of listed.value) {
      if (group.name === name && typeof group.id === 'string') {
        await client.call('deleteInstanceGroup', { id: group.id }, signal);
      }
    }
  }
}
