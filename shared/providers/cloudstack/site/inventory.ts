/**
 * Everything that classes select from, as whole lists: one question each for all classes and claims, kept for the time that the
 * option says. So a term that finds nothing can name what is nearest, and a hundred claims cost a handful of calls.
 */
import type { Json } from '../../../base/json.ts';
import type { Result } from '../../../base/result.ts';
import type { CloudStackClient } from '../../../platforms/cloudstack/client.ts';
import type { Params } from '../../../platforms/cloudstack/fields.ts';
import type { Lookups } from '../../calls/lookups.ts';
import type { DiskOffering, Named, Network, ServiceOffering, Template, Zone } from './answers.ts';
import type { ScopeParams } from './scope.ts';

export interface InventoryParts {
  client: Pick<CloudStackClient, 'list'>;
  lookups: Lookups;
  cacheSeconds: number;
  scope(signal: AbortSignal): Promise<Result<ScopeParams>>;
}

export class Inventory {
  readonly #parts: InventoryParts;

  constructor(parts: InventoryParts) {
    this.#parts = parts;
  }

  zones(signal: AbortSignal): Promise<Result<Zone[]>> {
    return this.#ask('zones', 'listZones', {}, zoneOf, signal);
  }

  networks(signal: AbortSignal): Promise<Result<Network[]>> {
    return this.#scoped('networks', 'listNetworks', {}, networkOf, signal);
  }

  /** Everything that machines can be made from, ready or not. */
  templates(signal: AbortSignal): Promise<Result<Template[]>> {
    return this.#scoped('templates', 'listTemplates', { templatefilter: 'executable' }, templateOf, signal, {
      ofProject: true,
    });
  }

  serviceOfferings(signal: AbortSignal): Promise<Result<ServiceOffering[]>> {
    return this.#scoped('service-offerings', 'listServiceOfferings', {}, offeringOf, signal, { ofProject: true });
  }

  diskOfferings(signal: AbortSignal): Promise<Result<DiskOffering[]>> {
    return this.#ask('disk-offerings', 'listDiskOfferings', {}, diskOfferingOf, signal);
  }

  securityGroups(signal: AbortSignal): Promise<Result<Named[]>> {
    return this.#scoped('security-groups', 'listSecurityGroups', {}, namedOf, signal);
  }

  affinityGroups(signal: AbortSignal): Promise<Result<Named[]>> {
    return this.#scoped('affinity-groups', 'listAffinityGroups', {}, namedOf, signal);
  }

  keyPairs(signal: AbortSignal): Promise<Result<Named[]>> {
    return this.#scoped('key-pairs', 'listSSHKeyPairs', {}, namedOf, signal);
  }

  /** CloudStack has shown that something in a list is no longer so. */
  forget(): void {
    this.#parts.lookups.forget();
  }

  /** Somebody may be mending what was not found. */
  doubt(what: string): void {
    this.#parts.lookups.doubt(what);
  }

  async #scoped<Raw, T extends Json>(
    what: string,
    command: string,
    params: Params,
    pick: (raw: Raw) => T,
    signal: AbortSignal,
    { ofProject = false }: { ofProject?: boolean } = {},
  ): Promise<Result<T[]>> {
    const scope = await this.#parts.scope(signal);
    if (!scope.ok) return scope;
    const { projectid } = scope.value;
    // Offerings and templates are published to domains; what belongs to the caller is listed besides.
    const whose: Params = ofProject ? { ...(projectid === undefined ? {} : { projectid }) } : { ...scope.value };
    return this.#ask(what, command, { ...params, ...whose }, pick, signal);
  }

  #ask<Raw, T extends Json>(
    what: string,
    command: string,
    params: Params,
    pick: (raw: Raw) => T,
    signal: AbortSignal,
  ): Promise<Result<T[]>> {
    const { client, lookups, cacheSeconds } = this.#parts;
    const read = async (inner: AbortSignal): Promise<Result<T[]>> => {
      const all = await client.list<Raw>(command, params, inner);
      return all.ok ? { ok: true, value: all.value.map(pick) } : all;
    };
    return lookups.ask(what, params, cacheSeconds, read, signal);
  }
}

/** Only what we read is kept: a list of a large cloud has megabytes of texts and addresses. */
const picked =
  <T extends Json>(...fields: (keyof T & string)[]) =>
  (raw: { [field: string]: Json }): T =>
    Object.fromEntries(
      fields.flatMap((field) => (raw[field] === undefined || raw[field] === null ? [] : [[field, raw[field]]])),
    ) as T;

const zoneOf = picked<Zone>('id', 'name', 'allocationstate', 'networktype', 'securitygroupsenabled');
const networkOf = picked<Network>('id', 'name', 'type', 'state', 'zoneid', 'canusefordeploy', 'tags');
const templateOf = picked<Template>(
  'id',
  'name',
  'zoneid',
  'isready',
  'ostypename',
  'hypervisor',
  'arch',
  'size',
  'created',
  'userdataid',
  'tags',
);
const offeringOf = picked<ServiceOffering>(
  'id',
  'name',
  'created',
  'state',
  'cpunumber',
  'cpuspeed',
  'memory',
  'iscustomized',
  'hosttags',
  'storagetags',
  'networkrate',
  'rootdisksize',
  'zoneid',
  'gpucardid',
  'gpucardname',
  'gpucount',
  'vgpuprofileid',
  'vgpuprofilename',
  'serviceofferingdetails',
);
const diskOfferingOf = picked<DiskOffering>('id', 'name', 'iscustomized', 'disksize', 'state');
/** Key pairs have had no id for years. */
const namedOf = (raw: { [field: string]: Json }): Named => ({ id: String(raw.id ?? raw.name), name: String(raw.name) });
