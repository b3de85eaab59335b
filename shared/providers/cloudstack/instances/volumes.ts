/**
 * Data volumes that a deploy made: they go with their VM, and no others do. CloudStack would keep them, and a volume that somebody
 * attached later (a PersistentVolume) must survive. So ours are tagged when the VM is there. Where a VM ends without us (its lease, a
 * person, a job that died half-way), its volumes are left over, and the tags lead to them.
 */
import { defined } from '../../../base/defined.ts';
import type { JsonObject } from '../../../base/json.ts';
import { ok, type Result } from '../../../base/result.ts';
import type { Clock } from '../../../base/runtime.ts';
import { tags as tagKeys } from '../../../nodes/claims/spec/well-known.ts';
import type { CloudStackClient } from '../../../platforms/cloudstack/client.ts';
import type { Params } from '../../../platforms/cloudstack/fields.ts';
import type { State } from '../../../state/contract.ts';
import type { InstanceTags } from '../../contract.ts';
import { cloudStackTags, type Tags, tagFields } from './ownership.ts';
import { parseTime, type Vm } from './vm.ts';
import type { Vms } from './vms.ts';

export interface VolumesParts {
  client: Pick<CloudStackClient, 'call' | 'list'>;
  scope(signal: AbortSignal): Promise<Result<Params>>;
  vms: Pick<Vms, 'everyOfClaim'>;
  state: State;
  clock: Clock;
}

interface Volume {
  id: string;
  /** `Ready`, `Allocated`, `Destroy`, … */
  state?: string;
  /** Of the VM that it is attached to. */
  virtualmachineid?: string;
  name?: string;
  /** When it was made. */
  created?: string;
  tags?: { key?: string; value?: string }[];
}

/** As CloudStack names the disks of a deploy; most of what is attached later has a name that somebody gave it. */
const nameOfDeploy = /^DATA-\d+(-\d+)?$/;
/** A deploy makes its disks together with the VM; a disk of an earlier VM that somebody attached here has such a name too. */
const togetherMs = 120_000;
/** For so long a volume is seen without a VM before it counts as left over: the job of a destroy may still be at it. */
const looseMs = 600_000;
const seenSeconds = 86_400;
/** The clusters of a deployment share its state. */
const marksOf = (cluster: string): string => `cloudstack/loose-volume/${cluster}/`;
/** The next sweep goes on; one must not take the account's requests from everybody else. */
const mostAtOnce = 50;
/** In these nobody has to delete it any more, or somebody is using it. */
const restingStates: ReadonlySet<string> = new Set(['Ready', 'Allocated']);

export class Volumes {
  readonly #parts: VolumesParts;

  constructor(parts: VolumesParts) {
    this.#parts = parts;
  }

  /** Marks what a deploy made as ours. It may run twice. */
  async tag(vm: Pick<Vm, 'id' | 'createdAt'>, tags: Tags, signal: AbortSignal): Promise<Result<void>> {
    const attached = await this.#attached(vm, signal);
    if (!attached.ok) return attached;
    const claimUid = tags[tagKeys.claimUid];
    const untagged = attached.value.filter((volume) => isOfDeploy(volume, vm) && !isOf(volume, claimUid));
    if (untagged.length === 0) return ok(undefined);
    const params = { resourceids: untagged.map(({ id }) => id), resourcetype: 'Volume', tags: tagFields(tags) };
    const written = await this.#parts.client.call('createTags', params, signal);
    return written.ok ? ok(undefined) : written;
  }

  /** Those that end with the VM: tagged as ours, or, where a crash left no time for that, as CloudStack names them. */
  async madeWith(vm: Vm, signal: AbortSignal): Promise<Result<string[]>> {
    const count = vm.tags[cloudStackTags.volumes];
    if (count === '0') return ok([]);
    const attached = await this.#attached(vm, signal);
    if (!attached.ok) return attached.error.kind === 'not-found' ? ok([]) : attached;
    const ours = attached.value.filter((volume) => isOf(volume, vm.owned?.owner.claimUid) || isOfDeploy(volume, vm));
    return ok(ours.map(({ id }) => id));
  }

  /** Deletes what ended VMs have left. While any VM of its claim is there, a volume is kept: somebody may have taken it off on purpose. */
  async sweep(owner: Pick<InstanceTags, 'deployment' | 'cluster'>, signal: AbortSignal): Promise<void> {
    const { client, scope, vms, state, clock } = this.#parts;
    const where = await scope(signal);
    if (!where.ok) return;
    const tags = tagFields({ [tagKeys.cluster]: owner.cluster });
    const listed = await client.list<JsonObject>('listVolumes', { type: 'DATADISK', tags, ...where.value }, signal);
    if (!listed.ok) return;
    const loose = (listed.value as unknown as Volume[]).flatMap((volume) => {
      const claimUid = looseOf(volume, owner);
      return claimUid === undefined ? [] : [{ id: volume.id, claimUid }];
    });
    const marks = await this.#marks(marksOf(owner.cluster), new Set(loose.map(({ id }) => id)));
    let due = 0;
    for (const { id, claimUid } of loose) {
      const at = marks.get(id);
      if (at === undefined) {
        await state
          .put(`${marksOf(owner.cluster)}${id}`, { at: clock.now() }, { ttlSeconds: seenSeconds })
          .catch(() => undefined);
        continue;
      }
      if (clock.now() - at < looseMs) continue;
      if (++due > mostAtOnce || signal.aborted) return;
      const left = await vms.everyOfClaim({ ...owner, claimUid, claimName: '' }, signal);
      // Whatever goes wrong is tried again at the next sweep.
      if (left.ok && left.value.length === 0) await client.call('deleteVolume', { id }, signal);
    }
  }

  /** When each was first seen without a VM. One that has a VM again, or is gone, is forgotten: its time begins anew. */
  async #marks(prefix: string, loose: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
    const { state } = this.#parts;
    const marks = new Map<string, number>();
    let after: string | undefined;
    do {
      const page = await state.list<{ at: number }>(prefix, defined({ after })).catch(() => undefined);
      for (const { key, value } of page?.items ?? []) {
        const id = key.slice(prefix.length);
        if (loose.has(id)) marks.set(id, value.at);
        else await state.delete(key).catch(() => undefined);
      }
      after = page?.next;
    } while (after !== undefined);
    return marks;
  }

  async #attached({ id }: Pick<Vm, 'id'>, signal: AbortSignal): Promise<Result<Volume[]>> {
    const scope = await this.#parts.scope(signal);
    if (!scope.ok) return scope;
    const params = { virtualmachineid: id, type: 'DATADISK', ...scope.value };
    const listed = await this.#parts.client.list<JsonObject>('listVolumes', params, signal, { who: `volumes/${id}` });
    return listed.ok ? ok(listed.value as unknown as Volume[]) : listed;
  }
}

function isOfDeploy({ name = '', created }: Volume, { createdAt }: Pick<Vm, 'createdAt'>): boolean {
  const at = parseTime(created);
  return nameOfDeploy.test(name) && at !== undefined && Math.abs(at - createdAt) <= togetherMs;
}

/** The claim of a volume of this deployment that no VM has; undefined for all others. */
function looseOf(
  { virtualmachineid, state = '', tags = [] }: Volume,
  owner: Pick<InstanceTags, 'deployment' | 'cluster'>,
): string | undefined {
  if (virtualmachineid !== undefined || !restingStates.has(state)) return undefined;
  const of = new Map(tags.map(({ key, value }) => [key, value]));
  if (of.get(tagKeys.deployment) !== owner.deployment || of.get(tagKeys.cluster) !== owner.cluster) return undefined;
  return of.get(tagKeys.claimUid) || undefined;
}

const isOf = ({ tags = [] }: Volume, claimUid: string | undefined): boolean =>
  claimUid !== undefined && tags.some(({ key, value }) => key === tagKeys.claimUid && value === claimUid);
