/**
 * What people change at VMs and no ordinary list shows: user data, and the size of root disks. Garbage collection looks at both once an
 * hour, because it costs calls, and keeps what it found: lists of VMs then say it too.
 */
import { defined } from '../../../base/defined.ts';
import type { JsonObject } from '../../../base/json.ts';
import type { Result } from '../../../base/result.ts';
import type { Clock } from '../../../base/runtime.ts';
import type { CloudStackClient } from '../../../platforms/cloudstack/client.ts';
import type { Params } from '../../../platforms/cloudstack/fields.ts';
import type { State } from '../../../state/contract.ts';
import type { InstanceTags } from '../../contract.ts';
import { readMadeOf, userDataHash } from './made-of.ts';
import { cloudStackTags, tagFields } from './ownership.ts';
import type { OwnedVm } from './vm.ts';

export interface HandChangesParts {
  client: Pick<CloudStackClient, 'call' | 'list'>;
  scope(signal: AbortSignal): Promise<Result<Params>>;
  state: State;
  clock: Clock;
}

/** In words, by the id of the VM. */
type Words = Record<string, string[]>;
type Kept = { lookedAt: number; found: Words; tags: Words };

/** What a look sees of one VM; absent where CloudStack does not tell. */
interface Inside {
  data?: string;
  rootGb?: number;
}

const lookEveryMs = 3_600_000;
/** Before that its launch may still write tags. */
const launchedMs = 900_000;
/** What is kept is a little old: several processes look. */
const keptMs = 15_000;
/** User data is up to a megabyte for each VM. */
const vmsPerCall = 20;
/** Of a look: the next one goes on. */
const mostWrites = 30;
/** What is kept is one value in state. */
const mostKept = 300;
const bytesPerGb = 1024 ** 3;

export class HandChanges {
  readonly #parts: HandChangesParts;
  readonly #known = new Map<string, { at: number; kept: Promise<Kept> }>();

  constructor(parts: HandChangesParts) {
    this.#parts = parts;
  }

  /** What is known of one VM, in words. */
  async of(cluster: string, id: string): Promise<readonly string[]> {
    const { found, tags } = await this.#kept(cluster);
    const keys = tags[id] ?? [];
    return [...(found[id] ?? []), ...(keys.length === 0 ? [] : [`tags (${keys.join(', ')})`])];
  }

  /** @param tags Of these VMs, which tags differ and could not be put right. */
  async look({ cluster }: Owner, vms: readonly OwnedVm[], tags: Words, signal: AbortSignal): Promise<void> {
    const { clock, state } = this.#parts;
    const before = await this.#read(cluster);
    const isDue = clock.now() - before.lookedAt >= lookEveryMs;
    const found = isDue ? await this.#lookInside(vms, before.found, signal) : before.found;
    const lookedAt = isDue ? clock.now() : before.lookedAt;
    if (!isDue && JSON.stringify(tags) === JSON.stringify(before.tags)) return;
    const kept: Kept = { lookedAt, found: fewOf(found), tags: fewOf(tags) };
    this.#known.delete(cluster);
    await state.put(keyOf(cluster), kept).catch(() => undefined);
  }

  async #lookInside(vms: readonly OwnedVm[], before: Words, signal: AbortSignal): Promise<Words> {
    const due = vms.filter(
      ({ state, createdAt }) => state === 'Running' && this.#parts.clock.now() - createdAt >= launchedMs,
    );
    const sizes = await this.#rootSizes(due, signal);
    const firstSeen = new Map<string, string[]>();
    const found: Words = {};
    for (let at = 0; at < due.length && !signal.aborted; at += vmsPerCall) {
      const some = due.slice(at, at + vmsPerCall);
      const data = await this.#userData(some, signal);
      for (const vm of some) {
        const inside = defined({ data: data?.get(vm.id), rootGb: sizes?.get(vm.id) });
        const changes = changesOf(vm, inside);
        // What could not be looked at stays as it was.
        const words = changes ?? before[vm.id] ?? [];
        if (words.length > 0) found[vm.id] = words;
        const first = vm.tags[cloudStackTags.firstSeen] === undefined ? firstSeenOf(vm, inside) : undefined;
        if (first !== undefined) firstSeen.set(first, [...(firstSeen.get(first) ?? []), vm.id]);
      }
    }
    // Whatever goes wrong is tried again at the next look.
    for (const [value, resourceids] of [...firstSeen].slice(0, mostWrites)) {
      const tags = tagFields({ [cloudStackTags.firstSeen]: value });
      await this.#parts.client.call('createTags', { resourceids, resourcetype: 'UserVm', tags }, signal);
    }
    return found;
  }

  /** Undefined: CloudStack did not tell. Of a VM without user data, the hash of none. */
  async #userData(vms: readonly OwnedVm[], signal: AbortSignal): Promise<ReadonlyMap<string, string> | undefined> {
    const scope = await this.#parts.scope(signal);
    if (!scope.ok) return undefined;
    const params = { ids: vms.map(({ id }) => id), userdata: true, details: ['min'], ...scope.value };
    const listed = await this.#parts.client.list<JsonObject>('listVirtualMachines', params, signal);
    // A version that does not know the parameter shows none of any VM: that says nothing.
    if (!listed.ok || listed.value.every(({ userdata }) => typeof userdata !== 'string')) return undefined;
    return new Map(
      listed.value.map(({ id, userdata }) => [String(id), userDataHash(typeof userdata === 'string' ? userdata : '')]),
    );
  }

  /** All of the account at once: they have no tags by which only ours could be asked for. */
  async #rootSizes(vms: readonly OwnedVm[], signal: AbortSignal): Promise<ReadonlyMap<string, number> | undefined> {
    if (vms.length === 0) return undefined;
    const scope = await this.#parts.scope(signal);
    if (!scope.ok) return undefined;
    const params = { type: 'ROOT', ...scope.value };
    const listed = await this.#parts.client.list<JsonObject>('listVolumes', params, signal);
    if (!listed.ok) return undefined;
    return new Map(
      listed.value.flatMap(({ virtualmachineid: id, size }) =>
        typeof id === 'string' && typeof size === 'number' ? [[id, Math.round(size / bytesPerGb)] as const] : [],
      ),
    );
  }

  #kept(cluster: string): Promise<Kept> {
    const now = this.#parts.clock.now();
    const known = this.#known.get(cluster);
    if (known !== undefined && now - known.at < keptMs) return known.kept;
    const kept = this.#read(cluster);
    this.#known.set(cluster, { at: now, kept });
    return kept;
  }

  async #read(cluster: string): Promise<Kept> {
    const entry = await this.#parts.state.get<Kept>(keyOf(cluster)).catch(() => undefined);
    return entry?.value ?? { lookedAt: Number.NEGATIVE_INFINITY, found: {}, tags: {} };
  }
}

type Owner = Pick<InstanceTags, 'deployment' | 'cluster'>;

const keyOf = (cluster: string): string => `cloudstack/hand-changes/${cluster}`;

const fewOf = (words: Words): Words => Object.fromEntries(Object.entries(words).slice(0, mostKept));

/** Undefined: nothing could be seen of it. */
function changesOf(vm: OwnedVm, { data, rootGb }: Inside): string[] | undefined {
  if (data === undefined && rootGb === undefined) return undefined;
  const first = readFirstSeen(vm.tags[cloudStackTags.firstSeen]);
  const wanted = readMadeOf(vm.tags[cloudStackTags.madeOf])?.userData ?? first.data;
  return [
    ...(data !== undefined && wanted !== undefined && data !== wanted ? ['user data'] : []),
    ...(rootGb !== undefined && first.rootGb !== undefined && rootGb !== first.rootGb
      ? [`root disk (${rootGb} GB)`]
      : []),
  ];
}

/** Nothing says beforehand how large a root disk becomes, and where a template has user data of its own, what the whole comes to. */
function firstSeenOf(vm: OwnedVm, { data, rootGb }: Inside): string | undefined {
  if (rootGb === undefined || data === undefined) return undefined;
  const sent = readMadeOf(vm.tags[cloudStackTags.madeOf])?.userData;
  return [`root=${rootGb}`, ...(sent === undefined ? [`data=${data}`] : [])].join(' ');
}

function readFirstSeen(text = ''): Inside {
  const named = new Map(text.split(' ').map((one) => one.split('=', 2) as [string, string | undefined]));
  const root = Number(named.get('root') ?? Number.NaN);
  return defined({ data: named.get('data'), rootGb: Number.isFinite(root) ? root : undefined });
}
