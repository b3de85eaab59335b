/** From a VirtualMachine and what it refers to, to the machine that a driver is told to make; or every mistake, by its field. */
import { defined } from '../../base/defined.ts';
import type { Capabilities } from '../../drivers/contract.ts';
import type { MachineDisk, MachineSpec } from '../../drivers/machine-spec.ts';
import { resolveClass } from './class.ts';
import { type ResolvedImage, resolveImage } from './image.ts';
import { machineName, nameProblem } from './name.ts';
import { networkProblems, resolveNetwork } from './network.ts';
import type {
  ProviderObject,
  VirtualMachine,
  VMClass,
  VMImage,
  VMNetworkAttachment,
  VMPlacementPolicy,
} from './objects.ts';
import { resolvePlacement, type UsedPlaces } from './placement.ts';
import type { MachineProblem } from './problems.ts';
import { recordOf } from './record.ts';

export interface Dependencies {
  provider: ProviderObject;
  class: VMClass;
  image?: VMImage;
  /** By the name of the network in the machine's spec. */
  networks: Readonly<Record<string, VMNetworkAttachment>>;
  policy?: VMPlacementPolicy;
  /** What is in the Secrets that it names, or inline. */
  userData?: string;
  metaData?: string;
}

export interface ResolvedMachine {
  name: string;
  spec: MachineSpec;
  image: ResolvedImage;
}

export type MachineAnswer = { ok: true; value: ResolvedMachine } | { ok: false; problems: readonly MachineProblem[] };

export function resolveMachine(
  machine: VirtualMachine,
  { provider, class: vmClass, image, networks, policy, userData, metaData }: Dependencies,
  can: Capabilities,
  used?: UsedPlaces,
): MachineAnswer {
  const { metadata, spec } = machine;
  const { type } = provider.spec;
  const problems: MachineProblem[] = [];
  const name = recordOf(machine)?.name ?? machineName(metadata);
  const misnamed = nameProblem(type, name, 'metadata.name');
  if (misnamed) problems.push(misnamed);

  const resolvedClass = resolveClass(vmClass, spec.resources);
  if (resolvedClass === undefined) {
    const path = `VMClass ${vmClass.metadata.name} spec.memory`;
    problems.push({ code: 'MachineSpecInvalid', path, message: 'is no quantity; write for example 4Gi' });
  }
  const resolvedImage = imageOf(machine, type, image);
  if (!resolvedImage.ok) problems.push(resolvedImage.problem);
  problems.push(...networkProblems(spec.networks ?? []), ...diskProblems(machine));
  const placement = resolvePlacement(spec.placement, policy, provider.spec.defaults, used);
  if (!placement.ok) problems.push(...placement.problems);

  const disks = (spec.disks ?? []).map(
    ({ name: disk, sizeGiB, type: kind, scsi }): MachineDisk => ({
      name: disk,
      sizeGiB,
      ...defined({ type: kind, scsi: scsi && defined(scsi) }),
    }),
  );
  const imported = resolvedImage.ok && resolvedImage.value.imported;
  problems.push(...capabilityProblems(machine, resolvedClass?.diskDefaults?.type, imported, can));
  if (problems.length > 0 || resolvedClass === undefined || !resolvedImage.ok || !placement.ok) {
    return { ok: false, problems };
  }
  const asked = spec.networks?.map((one) => resolveNetwork(one, networks[one.name]));
  const usual = provider.spec.defaults?.network;
  return {
    ok: true,
    value: {
      name,
      image: resolvedImage.value,
      spec: {
        class: resolvedClass,
        image: resolvedImage.value.image,
        networks: asked?.length ? asked : usual === undefined ? [] : [{ name: usual }],
        disks,
        tags: spec.tags ?? [],
        ...defined({
          placement: placement.value,
          userData,
          userDataType:
            userData === undefined
              ? undefined
              : spec.userData?.ignition
                ? ('ignition' as const)
                : ('cloud-init' as const),
          metaData,
        }),
      },
    },
  };
}

function imageOf({ spec }: VirtualMachine, type: string, image: VMImage | undefined): ReturnType<typeof resolveImage> {
  if (image !== undefined) return resolveImage(type, image);
  if (spec.importedDisk !== undefined) {
    const { path, diskID, format } = spec.importedDisk;
    return { ok: true, value: { imported: false, image: { path: path ?? diskID, ...defined({ format }) } } };
  }
  const message = 'has neither imageRef nor importedDisk; add one of them';
  return { ok: false, problem: { code: 'MachineImageInvalid', path: 'spec', message } };
}

function diskProblems(machine: VirtualMachine): MachineProblem[] {
  const had = recordOf(machine)?.applied.disks ?? {};
  const seen = new Set<string>();
  return (machine.spec.disks ?? []).flatMap(({ name, sizeGiB }, index): MachineProblem[] => {
    const path = `spec.disks[${index}]`;
    const problems: MachineProblem[] = [];
    if (seen.has(name)) {
      problems.push({
        code: 'MachineDiskInvalid',
        path: `${path}.name`,
        message: `another disk is called ${name} too`,
      });
    }
    seen.add(name);
    const before = had[name];
    if (before !== undefined && before > sizeGiB) {
      const message = `the disk has ${before} GiB, and disks never shrink; write ${before} or more`;
      problems.push({ code: 'MachineDiskInvalid', path: `${path}.sizeGiB`, message });
    }
    return problems;
  });
}

/** What the provider says of itself decides. A list that is empty says nothing. */
function capabilityProblems(
  { spec }: VirtualMachine,
  classDisk: string | undefined,
  imported: boolean,
  can: Capabilities,
): MachineProblem[] {
  const lacks = (capability: string, path: string, what: string): MachineProblem => ({
    code: 'MachineCapabilityMissing',
    path,
    message: `the provider does not have the capability ${capability}: ${what}`,
  });
  const problems: MachineProblem[] = [];
  const has = (type: string): boolean => can.diskTypes.length === 0 || can.diskTypes.includes(type);
  const types = `use one of ${can.diskTypes.join(', ')}`;
  if (classDisk !== undefined && !has(classDisk)) {
    problems.push(lacks('supported_disk_types', 'spec.classRef', `its class asks for ${classDisk}; ${types}`));
  }
  for (const [index, { type }] of (spec.disks ?? []).entries()) {
    if (type !== undefined && !has(type)) {
      problems.push(lacks('supported_disk_types', `spec.disks[${index}].type`, `no ${type}; ${types}`));
    }
  }
  if (imported && !can.imageImport) {
    const what = 'it imports no image; use a template that is there';
    problems.push(lacks('supports_image_import', 'spec.imageRef', what));
  }
  if (spec.resources?.gpu !== undefined) {
    const what = 'the protocol of providers has no GPUs; remove the field, or set them in extraConfig of the class';
    problems.push(lacks('gpu', 'spec.resources.gpu', what));
  }
  return problems;
}
