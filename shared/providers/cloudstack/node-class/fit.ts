/**
 * Whether machines of an offering can be made from a template. CloudStack says so only when it deploys, and then in words that leave the
 * reason open; what can be known before is judged here.
 */
import type { ResolvedOffering, ResolvedTemplate } from './resolved.ts';
import type { CloudStackNodeClassSpec } from './schema.ts';

const gibibyte = 1024 ** 3;

/** Under which of these an offering says for which architecture its hosts are. */
const archKeys = ['kubernetes.io/arch', 'arch'] as const;

const archNames: Readonly<Record<string, string>> = {
  x86_64: 'amd64',
  amd64: 'amd64',
  aarch64: 'arm64',
  arm64: 'arm64',
  s390x: 's390x',
};

/** Undefined: nothing is in the way. */
export function whyNoFit(
  offering: ResolvedOffering,
  template: ResolvedTemplate,
  spec: Pick<CloudStackNodeClassSpec, 'rootDiskSize'>,
): string | undefined {
  const arch = archOf(offering);
  if (arch !== undefined && arch !== template.arch) {
    return `offering ${offering.name} is for ${arch}, template ${template.name} for ${template.arch}`;
  }
  return hypervisorProblem(offering, template) ?? diskProblem(offering, template, spec);
}

export function archOf({ details, hostTags }: Pick<ResolvedOffering, 'details' | 'hostTags'>): string | undefined {
  for (const key of archKeys) {
    const written = details[key] ?? hostTags.find((tag) => tag.startsWith(`${key}=`))?.slice(key.length + 1);
    if (written !== undefined) return archNames[written.toLowerCase()] ?? written.toLowerCase();
  }
  // Operators tag the hosts of another architecture with its name.
  const tag = hostTags.find((one) => Object.hasOwn(archNames, one.toLowerCase()));
  return tag === undefined ? undefined : archNames[tag.toLowerCase()];
}

function hypervisorProblem({ name, gpu }: ResolvedOffering, template: ResolvedTemplate): string | undefined {
  const { hypervisor } = template;
  if (gpu === undefined || hypervisor === '') return undefined;
  const wanted = gpu.byDetails ? 'XenServer' : 'KVM';
  if (hypervisor.toLowerCase() === wanted.toLowerCase()) return undefined;
  return `the GPU of offering ${name} needs hypervisor ${wanted}, and template ${template.name} is for ${hypervisor}`;
}

function diskProblem(
  offering: ResolvedOffering,
  template: ResolvedTemplate,
  { rootDiskSize }: Pick<CloudStackNodeClassSpec, 'rootDiskSize'>,
): string | undefined {
  const needed = Math.ceil(template.size / gibibyte);
  if (rootDiskSize !== undefined && rootDiskSize < needed) {
    return `spec.rootDiskSize is ${rootDiskSize} GB, and template ${template.name} needs ${needed} GB`;
  }
  if (rootDiskSize === undefined && offering.rootDiskSize > 0 && offering.rootDiskSize < needed) {
    return `offering ${offering.name} has a root disk of ${offering.rootDiskSize} GB, and template ${template.name} needs ${needed} GB`;
  }
  return undefined;
}

/** The newest template that fits. An offering that says nothing of its architecture is for the usual one, where there is a template of it. */
export function bestTemplate(
  offering: ResolvedOffering,
  templates: readonly ResolvedTemplate[],
  spec: Pick<CloudStackNodeClassSpec, 'rootDiskSize'>,
): ResolvedTemplate | undefined {
  const fitting = templates.filter((template) => whyNoFit(offering, template, spec) === undefined);
  return fitting.find(({ arch }) => arch === 'amd64') ?? fitting[0];
}
