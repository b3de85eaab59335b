/** Everything about the machines of a class put together: launches, looks, ends, and what goes with a machine. */
import { labelValueOf } from '../../base/kubernetes/label-syntax.ts';
import { failed, ok } from '../../base/result.ts';
import type { InstanceType, OfferingRef } from '../../nodes/claims/choice/offerings.ts';
import { saysAddress, saysAffinity } from '../../platforms/cloudstack/said.ts';
import { noReports } from '../cloud-reports.ts';
import type { Instance } from '../contract.ts';
import { ShapeStore, type TypeIndex } from '../shape-store.ts';
import { usualSecret } from './access/secret.ts';
import { adoptVm } from './adopt.ts';
import { cloudStackLabels, placeLabels } from './catalog/labels.ts';
import { cloudStackFacts } from './facts.ts';
import { instanceIdIn } from './instance-id.ts';
import { AffinityGroups } from './instances/affinity-groups.ts';
import { Ending } from './instances/ending.ts';
import { HandChanges } from './instances/hand-changes.ts';
import { toInstance } from './instances/instance.ts';
import { InstanceGroups } from './instances/instance-groups.ts';
import { type WrongTags, writeLateTags } from './instances/late-tags.ts';
import { MadeBy } from './instances/made-by.ts';
import { cloudStackTags } from './instances/ownership.ts';
import { isGone, isOwned, type OwnedVm, type Vm } from './instances/vm.ts';
import { Vms } from './instances/vms.ts';
import { Volumes } from './instances/volumes.ts';
import { Addresses } from './launch/addresses.ts';
import { buildFor } from './launch/build-for.ts';
import { Launch } from './launch/launch.ts';
import type { ResolvedCloudStackClass } from './node-class/resolved.ts';
import type { CloudStackParts, InstanceSide } from './parts.ts';

/** Far beyond what a host has: a group takes as many as there are hosts, or as the option says. */
const manyMembers = 100_000;

/** The planner of CloudStack takes less where it finds nothing. */
const usualQuickLookMs = 1500;

export function openInstances(parts: CloudStackParts): InstanceSide {
  const { client, options, context, scope, classes, catalog, stateScope, tuning } = parts;
  const { clock, state, secrets } = context;
  const reports = context.reports ?? noReports;
  const vms = new Vms({ client, scope, clock, windowMs: tuning.windowMs });
  const volumes = new Volumes({ client, scope, vms, state, clock });
  const mostMembers = options.affinityGroupMembers ?? manyMembers;
  const groups = new AffinityGroups({ client, scope, state, clock, mostMembers });
  const addresses = new Addresses({ client, scope, state, clock });
  const instanceGroups = new InstanceGroups({ client, scope, state, clock });
  const handChanges = new HandChanges({ client, scope, state, clock });
  const shapes = new ShapeStore(state, `${stateScope}/shape`, () => true);
  const indexes = new WeakMap<readonly InstanceType[], TypeIndex>();
  /** By the id of an offering, the type that a VM without tags is of; and by its size, for offerings that have several. */
  const typeNames = new Map<string, string>();
  const sizedTypes = new Map<string, Pick<OfferingRef, 'instanceType' | 'capacityType'>>();
  const madeBy = new MadeBy(state);
  const learn = (resolved: ResolvedCloudStackClass): void => {
    madeBy.learn(resolved);
    const types = catalog.instanceTypes(resolved);
    if (!indexes.has(types)) {
      indexes.set(types, new Map(types.map((type) => [type.name, type])));
      for (const { name, labels, offerings } of types) {
        const [id, cpus, memory] = [cloudStackLabels.offeringId, cloudStackLabels.cpu, cloudStackLabels.memory].map(
          (key) => labels[key],
        );
        const capacityType = offerings[0]?.capacityType ?? 'on-demand';
        sizedTypes.set(`${id}/${cpus}/${memory}`, { instanceType: name, capacityType });
      }
      for (const [offering, names] of catalog.namesOf(resolved)) typeNames.set(offering, names[0] ?? offering);
    }
    shapes.learn(resolved.name, indexes.get(types) ?? new Map());
  };
  const sizedTypeOf = ({ offeringId, cpus, memoryMiB }: Vm) => sizedTypes.get(`${offeringId}/${cpus}/${memoryMiB}`);
  /** Tags say what it was made as; without them, what it is. */
  const asMade = (vm: OwnedVm): OwnedVm => ({ ...vm, owned: { ...sizedTypeOf(vm), ...vm.owned } });
  const instanceOf = async (given: OwnedVm): Promise<Instance> => {
    const vm = asMade(given);
    const zone = labelValueOf(vm.zoneName) || vm.zoneId;
    const type = vm.owned.instanceType ?? typeOf(vm);
    const shape = await shapes.of(vm.tags[cloudStackTags.nodeClass], type);
    const labels = { ...shape?.labels, ...labelsOf(vm, zone) };
    const changes = await handChanges.of(vm.owned.owner.cluster, vm.id);
    const instance = toInstance(vm, { now: clock.now(), zone, shape, typeOf, changes });
    return { ...instance, labels };
  };
  const typeOf = (vm: Vm): string =>
    sizedTypeOf(vm)?.instanceType ?? typeNames.get(vm.offeringId) ?? (labelValueOf(vm.offeringName) || vm.offeringId);
  const credentials = options.credentials;
  const secret = credentials.in === 'secret' ? credentials : usualSecret;
  const ending = new Ending({
    client,
    vms,
    volumes,
    clock,
    state,
    expunge: options.expunge,
    scope: stateScope,
    onDeleted: () => reports.deleted(),
  });
  const launch = new Launch({
    client,
    vms,
    volumes,
    clock,
    customIds: options.customIds,
    build: (request, id, signal) =>
      buildFor(
        {
          classes,
          catalog,
          learn,
          groups,
          addresses,
          userData: {
            cluster: {
              name: options.clusterName,
              endpoint: options.clusterEndpoint,
              ca: options.clusterCA,
              version: options.kubernetesVersion,
            },
            secret,
            secrets,
            mostCharacters: options.userDataLength,
          },
        },
        request,
        id,
        signal,
      ),
    refused: (request, build, failure) => {
      if (failure.kind === 'not-found') classes.forget();
      for (const { id, address } of build.networks) {
        if (address !== undefined && saysAddress(failure, address)) addresses.refused(id, address);
      }
      if (saysAffinity(failure)) groups.forget(request);
    },
    kept: (request) => shapes.keep(request.nodeClass.name, request.offering.instanceType),
    instanceOf,
    scope,
    listLagMs: cloudStackFacts(options).traits.listLagSeconds * 1000,
    discard: (target, signal) => ending.begin(target, signal),
    quickLookMs: tuning.windowMs ?? usualQuickLookMs,
    onCreated: (_, seconds) => reports.created(seconds),
  });
  const ours = (found: readonly Vm[]): Promise<Instance[]> =>
    Promise.all(found.filter((vm): vm is OwnedVm => isOwned(vm)).map((vm) => instanceOf(vm)));
  return {
    beginCreate: (request, signal) => launch.begin(request, signal),
    pollCreate: (handle, signal) => launch.poll(handle, signal),
    beginDelete: (target, signal) => ending.begin(target, signal),
    pollDelete: (handle, signal) => ending.poll(handle, signal),
    find: async (claim, signal) => {
      const found = await vms.ofClaim(claim, signal);
      return found.ok ? ok(await ours(found.value)) : found;
    },
    get: async ({ deployment, cluster }, providerID, signal) => {
      const id = instanceIdIn(providerID);
      const notOurs = failed('not-found', `there is no VM ${id ?? providerID} of this deployment`);
      if (id === undefined) return notOurs;
      const seen = await vms.get(id, signal);
      if (!seen.ok) return seen;
      const vm = seen.value;
      if (vm === undefined || !isOwned(vm) || isGone(vm)) return notOurs;
      const { owner } = vm.owned;
      return owner.deployment === deployment && owner.cluster === cluster ? ok(await instanceOf(vm)) : notOurs;
    },
    list: async (owner, page, signal) => {
      const listed = await vms.page(owner, page, signal);
      if (!listed.ok) return listed;
      const { items, next } = listed.value;
      return ok({ items: await ours(items), ...(next === undefined ? {} : { next }) });
    },
    tidy: async (owner, signal) => {
      const all: OwnedVm[] = [];
      const wrong: WrongTags = {};
      let at: string | undefined;
      do {
        const listed = await vms.page(owner, at, signal);
        if (!listed.ok) return listed;
        const found = listed.value.items.filter(isOwned).map(asMade);
        const classes = { classOf: (vm: Vm) => madeBy.classOf(vm), tagsOf: (vm: Vm) => madeBy.tagsOf(vm) };
        Object.assign(wrong, await writeLateTags({ client, volumes, clock, ...classes }, found, signal));
        all.push(...found);
        at = listed.value.next;
      } while (at !== undefined && !signal.aborted);
      if (signal.aborted) return ok(undefined);
      await handChanges.look(owner, all, wrong, signal);
      await groups.sweep(owner, signal);
      await instanceGroups.sweep(owner, { empty: all.length === 0 }, signal);
      await volumes.sweep(owner, signal);
      return ok(undefined);
    },
    adopt: (claim, providerID, how, signal) =>
      adoptVm({ client, vms, instanceOf, typeOf }, claim, providerID, how, signal),
  };
}

/** What the VM itself tells, whatever its class has become. */
const labelsOf = (vm: Vm, zone: string): Record<string, string> => {
  const [network] = vm.networks;
  return placeLabels(
    { id: vm.zoneId, name: vm.zoneName, label: zone, networkType: '', securityGroups: false },
    network && { ...network, type: '', zoneId: vm.zoneId },
    {
      id: vm.templateId,
      name: vm.templateName,
      zoneId: vm.zoneId,
      osType: '',
      arch: 'amd64',
      hypervisor: '',
      size: 0,
      createdAt: '',
    },
  );
};
