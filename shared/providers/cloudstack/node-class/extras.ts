/** What a class names besides: disk offerings, a key pair, security groups, affinity groups. */
import { didYouMean } from '../../../base/nearest.ts';
import { ok, type Result } from '../../../base/result.ts';
import type { Named } from '../site/answers.ts';
import type { Inventory } from '../site/inventory.ts';
import { type Found, missing } from './found.ts';
import type { ResolvedNetwork, ResolvedVolume } from './resolved.ts';
import type { CloudStackNodeClassSpec } from './schema.ts';

export interface Extras {
  volumes: ResolvedVolume[];
  securityGroupIds: string[];
  affinityGroupIds: string[];
}

export async function findExtras(
  spec: CloudStackNodeClassSpec,
  networks: readonly ResolvedNetwork[],
  inventory: Inventory,
  signal: AbortSignal,
): Promise<Result<Found<Extras>>> {
  const volumes = await findVolumes(spec, inventory, signal);
  if (!volumes.ok) return volumes;
  if ('missing' in volumes.value) return ok(volumes.value);
  const groups = await named(spec.securityGroups ?? [], () => inventory.securityGroups(signal), {
    what: 'security group',
    field: 'spec.securityGroups',
    reason: 'SecurityGroupsNotFound',
  });
  if (!groups.ok) return groups;
  if ('missing' in groups.value) return ok(groups.value);
  const affinity = await named(spec.affinity?.groups ?? [], () => inventory.affinityGroups(signal), {
    what: 'affinity group',
    field: 'spec.affinity.groups',
    reason: 'AffinityGroupsNotFound',
  });
  if (!affinity.ok) return affinity;
  if ('missing' in affinity.value) return ok(affinity.value);
  const pair = await named(spec.sshKeyPair === undefined ? [] : [spec.sshKeyPair], () => inventory.keyPairs(signal), {
    what: 'SSH key pair',
    field: 'spec.sshKeyPair',
    reason: 'KeyPairNotFound',
  });
  if (!pair.ok) return pair;
  if ('missing' in pair.value) return ok(pair.value);
  const stray = (spec.staticAddresses ?? []).findIndex(
    ({ network }) => !networks.some(({ id, name }) => id === network || name === network),
  );
  if (stray >= 0) {
    const { network } = spec.staticAddresses?.[stray] ?? { network: '' };
    const hint = didYouMean(
      network,
      networks.map(({ name }) => name),
    );
    return ok(
      missing(
        'NetworksNotFound',
        `spec.staticAddresses[${stray}].network: ${network} is not among the networks that the class selects${hint}`,
      ),
    );
  }
  return ok({
    found: {
      volumes: volumes.value.found,
      securityGroupIds: groups.value.found,
      affinityGroupIds: affinity.value.found,
    },
  });
}

async function findVolumes(
  { diskOffering, dataVolumes = [] }: CloudStackNodeClassSpec,
  inventory: Inventory,
  signal: AbortSignal,
): Promise<Result<Found<ResolvedVolume[]>>> {
  const wanted = [
    ...(diskOffering === undefined ? [] : [{ diskOffering, field: 'spec.diskOffering' }]),
    ...dataVolumes.map((one, index) => ({ ...one, field: `spec.dataVolumes[${index}].diskOffering` })),
  ];
  if (wanted.length === 0) return ok({ found: [] });
  const all = await inventory.diskOfferings(signal);
  if (!all.ok) return all;
  const volumes: ResolvedVolume[] = [];
  for (const { diskOffering: name, field, ...more } of wanted) {
    const found = all.value.find((one) => one.id === name) ?? all.value.find((one) => one.name === name);
    if (found === undefined) {
      const hint = didYouMean(
        name,
        all.value.map((one) => one.name),
      );
      return ok(missing('DiskOfferingNotFound', `${field}: there is no disk offering ${JSON.stringify(name)}${hint}`));
    }
    const size = 'size' in more ? more.size : undefined;
    if (found.iscustomized === true && size === undefined) {
      const message = `${field}: disk offering ${found.name} leaves the size open; use spec.dataVolumes with a size`;
      return ok(missing('DiskOfferingNotFound', message));
    }
    const { minIops, maxIops } = 'minIops' in more || 'maxIops' in more ? more : {};
    volumes.push({
      diskOfferingId: found.id,
      // One of a fixed size refuses to be told another.
      ...(size === undefined || found.iscustomized !== true ? {} : { size }),
      ...(minIops === undefined ? {} : { minIops }),
      ...(maxIops === undefined ? {} : { maxIops }),
    });
  }
  return ok({ found: volumes });
}

async function named(
  wanted: readonly string[],
  list: () => Promise<Result<Named[]>>,
  { what, field, reason }: { what: string; field: string; reason: string },
): Promise<Result<Found<string[]>>> {
  if (wanted.length === 0) return ok({ found: [] });
  const all = await list();
  if (!all.ok) return all;
  const ids: string[] = [];
  for (const one of wanted) {
    const found = all.value.find(({ id }) => id === one) ?? all.value.find(({ name }) => name === one);
    if (found === undefined) {
      const hint = didYouMean(
        one,
        all.value.map(({ name }) => name),
      );
      return ok(
        missing(reason, `${field}: there is no ${what} ${JSON.stringify(one)}${hint}; create it, or correct the name`),
      );
    }
    ids.push(found.id);
  }
  return ok({ found: ids });
}
