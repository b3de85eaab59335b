/**
 * Data volumes that a deploy made: they go with their VM, and no others do. CloudStack would keep them, and a volume that somebody
 * attached later (a PersistentVolume) must survive. So ours are tagged when the VM is there.
 */
import type { JsonObject } from '../../../base/json.ts';
import { ok, type Result } from '../../../base/result.ts';
import { tags as tagKeys } from '../../../nodes/claims/spec/well-known.ts';
import type { CloudStackClient } from '../../../platforms/cloudstack/client.ts';
import type { Params } from '../../../platforms/cloudstack/fields.ts';
import { cloudStackTags, type Tags, tagFields } from './ownership.ts';
import { parseTime, type Vm } from './vm.ts';

export interface VolumesParts {
  client: Pick<CloudStackClient, 'call' | 'list'>;
  scope(signal: AbortSignal): Promise<Result<Params>>;
}

interface Volume {
  id: string;
  name?: string;
  /** When it was made. */
  created?: string;
  tags?: { key?: string; value?: string }[];
}

/** As CloudStack names the disks of a deploy; most of what is attached later has a name that somebody gave it. */
const nameOfDeploy = /^DATA-\d+(-\d+)?$/;
/** A deploy makes its disks together with the VM; a disk of an earlier VM that somebody attached here has such a name too. */
const togetherMs = 120_000;

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

  async #attached({ id }: Pick<Vm, 'id'>, signal: AbortSignal): Promise<Result<Volume[]>> {
    const scope = await this.#parts.scope(signal);
    if (!scope.ok) return scope;
    const params = { virtualmachineid: id, type: 'DATADISK', ...scope.value, listall: true };
    const listed = await this.#parts.client.list<JsonObject>('listVolumes', params, signal);
    return listed.ok ? ok(listed.value as unknown as Volume[]) : listed;
  }
}

function isOfDeploy({ name = '', created }: Volume, { createdAt }: Pick<Vm, 'createdAt'>): boolean {
  const at = parseTime(created);
  return nameOfDeploy.test(name) && at !== undefined && Math.abs(at - createdAt) <= togetherMs;
}

const isOf = ({ tags = [] }: Volume, claimUid: string | undefined): boolean =>
  claimUid !== undefined && tags.some(({ key, value }) => key === tagKeys.claimUid && value === claimUid);
