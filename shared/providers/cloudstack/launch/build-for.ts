/** Finds what a deploy names: what the class resolved to, the group of the pool, a free address, and user data with its variables. */
import { defined } from '../../../base/defined.ts';
import { failed, ok, type Result } from '../../../base/result.ts';
import type { CreateRequest } from '../../contract.ts';
import type { CloudStackCatalog } from '../catalog/catalog.ts';
import type { AffinityGroups } from '../instances/affinity-groups.ts';
import { providerIdOf } from '../instances/instance.ts';
import type { CloudStackNodeClasses } from '../node-class/resolve.ts';
import type { ResolvedCloudStackClass, ResolvedNetwork } from '../node-class/resolved.ts';
import type { Addresses } from './addresses.ts';
import type { BuildNetwork } from './build.ts';
import type { BuiltFor } from './launch.ts';
import { type UserDataParts, userDataFor } from './user-data.ts';

export interface BuildParts {
  classes: Pick<CloudStackNodeClasses, 'resolve'>;
  catalog: Pick<CloudStackCatalog, 'setUp'>;
  /** The class was resolved: its types are what machines are made of now. */
  learn(resolved: ResolvedCloudStackClass): void;
  groups: AffinityGroups;
  addresses: Addresses;
  userData: UserDataParts;
}

export async function buildFor(
  parts: BuildParts,
  request: CreateRequest,
  id: string | undefined,
  signal: AbortSignal,
): Promise<Result<BuiltFor>> {
  const resolved = await parts.classes.resolve(request.nodeClass, signal);
  if (!resolved.ok) return resolved;
  parts.learn(resolved.value);
  const { spec, volumes, securityGroupIds, affinityGroupIds } = resolved.value;
  const set = parts.catalog.setUp(resolved.value, request.offering);
  if (set === undefined) {
    const { instanceType, zone } = request.offering;
    return failed(
      'invalid',
      `CloudStackNodeClass ${request.nodeClass.name} has no ${instanceType} in zone ${zone} any more`,
    );
  }
  const { zone, template, offering, size } = set;
  const providerID = id === undefined ? undefined : providerIdOf(zone.label, id);
  // A shared group costs calls, so it comes after everything that can be wrong with the class.
  const userData = await userDataFor(spec, request, { id, providerID }, parts.userData, signal);
  if (!userData.ok) return userData;
  const networks = await networksFor(parts, resolved.value, set.networks, request, signal);
  if (!networks.ok) return networks;
  const type = spec.affinity?.perPool;
  const group = type === undefined ? undefined : await parts.groups.groupFor(request, type, signal);
  if (group?.ok === false) return group;
  return ok({
    tags: spec.tags ?? {},
    build: {
      zoneId: zone.id,
      templateId: template.id,
      offeringId: offering.id,
      networks: networks.value,
      volumes,
      securityGroupIds,
      affinityGroupIds: [...affinityGroupIds, ...(group === undefined ? [] : [group.value])],
      ...defined({
        size: size && defined(size),
        rootDiskSize: spec.rootDiskSize,
        keyPair: spec.sshKeyPair,
        boot: spec.boot && defined(spec.boot),
        extraConfig: spec.extraConfig,
        lease: spec.lease && { days: spec.lease.days, action: spec.lease.expiryAction ?? 'DESTROY' },
        userData: userData.value,
        templateHasUserData: template.hasUserData,
      }),
    },
  });
}

async function networksFor(
  { addresses }: BuildParts,
  { spec }: ResolvedCloudStackClass,
  networks: readonly ResolvedNetwork[],
  request: CreateRequest,
  signal: AbortSignal,
): Promise<Result<BuildNetwork[]>> {
  const found: BuildNetwork[] = [];
  for (const { id, name } of networks) {
    const fixed = spec.staticAddresses?.find(({ network }) => network === id || network === name);
    const taken = fixed && (await addresses.take(id, fixed.addresses, request.token, signal));
    if (taken?.ok === false) return taken;
    found.push({ id, ...(taken === undefined ? {} : { address: taken.value }) });
  }
  return ok(found);
}
