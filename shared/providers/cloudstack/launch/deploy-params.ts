/** The parameters of `deployVirtualMachine`. */
import { defined } from '../../../base/defined.ts';
import type { Params } from '../../../platforms/cloudstack/fields.ts';
import type { CreateRequest } from '../../contract.ts';
import { displayNameFor, groupFor } from '../instances/ownership.ts';
import type { Build } from './build.ts';

export function deployParams(
  { owner, claimName, name }: Pick<CreateRequest, 'owner' | 'claimName' | 'name'>,
  build: Build,
  customId: string | undefined,
): Params {
  const { size, networks, volumes, boot, lease } = build;
  const fixed = networks.some(({ address }) => address !== undefined);
  return {
    serviceofferingid: build.offeringId,
    zoneid: build.zoneId,
    templateid: build.templateId,
    name,
    displayname: displayNameFor(owner, claimName),
    group: groupFor(owner),
    ...defined({ customid: customId, keypair: build.keyPair, rootdisksize: build.rootDiskSize }),
    ...(networks.length === 0
      ? {}
      : fixed
        ? { iptonetworklist: networks.map(({ id, address }) => defined({ networkid: id, ip: address })) }
        : { networkids: networks.map(({ id }) => id) }),
    ...(size === undefined ? {} : { details: defined({ ...size }) }),
    ...volumeParams(volumes),
    ...(build.affinityGroupIds.length === 0 ? {} : { affinitygroupids: build.affinityGroupIds }),
    ...(build.securityGroupIds.length === 0 ? {} : { securitygroupids: build.securityGroupIds }),
    ...(boot === undefined ? {} : { boottype: boot.type, bootmode: boot.mode ?? 'Legacy' }),
    ...defined({ extraconfig: build.extraConfig === undefined ? undefined : encodeURIComponent(build.extraConfig) }),
    ...(lease === undefined ? {} : { leaseduration: lease.days, leaseexpiryaction: lease.action }),
    ...defined({ userdata: build.userData }),
  };
}

/** One volume every version takes; a list only since 4.21. */
function volumeParams(volumes: Build['volumes']): Params {
  const [first] = volumes;
  if (first === undefined) return {};
  if (volumes.length === 1 && first.minIops === undefined && first.maxIops === undefined) {
    return { diskofferingid: first.diskOfferingId, ...defined({ size: first.size }) };
  }
  return {
    datadisksdetails: volumes.map(({ diskOfferingId, size, minIops, maxIops }, index) =>
      defined({
        diskofferingid: diskOfferingId,
        size,
        miniops: minIops,
        maxiops: maxIops,
        // 0 is the root disk, 3 is kept for the CD.
        deviceid: index + (index < 2 ? 1 : 2),
      }),
    ),
  };
}
