/** Labels of an instance type, as Karpenter's provider for AWS gives them. */
import { labels } from '../../../nodes/claims/spec/well-known.ts';
import type { ResolvedEc2Class } from '../node-class/resolved.ts';
import type { AmiFamily } from '../node-class/schema.ts';
import { awsLabels } from '../node-labels.ts';
import { quotaClassLabel } from './labels.ts';
import type { TypeFacts } from './type-facts.ts';

const windowsBuilds: Partial<Record<AmiFamily, string>> = {
  Windows2019: '10.0.17763',
  Windows2022: '10.0.20348',
  Windows2025: '10.0.26100',
};

export function typeLabels(
  type: TypeFacts,
  { name, family, spec }: Pick<ResolvedEc2Class, 'name' | 'family' | 'spec'>,
  region: string,
): Record<string, string> {
  const parts = nameParts(type.name);
  const build = windowsBuilds[family];
  const { gpus, neuron } = type;
  return {
    [labels.arch]: type.arch,
    [labels.os]: build === undefined ? 'linux' : 'windows',
    [labels.region]: region,
    ...some(labels.windowsBuild, build),
    [awsLabels.nodeClass]: name,
    ...some(awsLabels.category, parts.category),
    ...some(awsLabels.generation, parts.generation),
    [awsLabels.family]: parts.family,
    [awsLabels.size]: parts.size,
    // Always there: who wants none of them writes that it must be false.
    [awsLabels.flex]: String(parts.family.includes('-flex')),
    [awsLabels.cpu]: String(type.cpu),
    ...some(awsLabels.cpuManufacturer, type.cpuMaker),
    ...some(awsLabels.cpuSpeed, type.cpuMhz),
    [awsLabels.memory]: String(type.memoryMiB),
    ...some(awsLabels.hypervisor, type.hypervisor),
    [awsLabels.encryptionInTransit]: String(type.encryptsInTransit),
    ...some(awsLabels.ebsBandwidth, type.ebsMbps),
    ...some(awsLabels.networkBandwidth, type.networkMbps),
    ...some(awsLabels.localNvme, type.nvmeGB),
    [awsLabels.tenancy]: spec.tenancy ?? 'default',
    ...(gpus === undefined
      ? {}
      : {
          [awsLabels.gpuName]: gpus.name,
          [awsLabels.gpuManufacturer]: gpus.maker,
          [awsLabels.gpuCount]: String(gpus.count),
          [awsLabels.gpuMemory]: String(gpus.memoryMiB),
        }),
    ...(neuron === undefined
      ? {}
      : {
          [awsLabels.acceleratorName]: neuron.name,
          [awsLabels.acceleratorManufacturer]: neuron.maker,
          [awsLabels.acceleratorCount]: String(neuron.count),
        }),
    [quotaClassLabel]: quotaClass(parts.family),
  };
}

const some = (key: string, value: string | number | undefined): Record<string, string> =>
  value === undefined ? {} : { [key]: String(value) };

/** `m6i.2xlarge` is of category m, generation 6; `u-6tb1.metal` of category u, generation 1. */
export function nameParts(name: string): { family: string; size: string; category?: string; generation?: string } {
  const [family = name, size = ''] = name.split('.');
  const found = /^([a-z]+)(?:-[0-9]+tb)?([0-9]+)/.exec(family);
  const [, category, generation] = found ?? [];
  return category === undefined || generation === undefined ? { family, size } : { family, size, category, generation };
}

/** EC2 has one quota of vCPUs for each of these, and another for its spot machines. */
const quotaClasses: readonly (readonly [RegExp, string])[] = [
  [/^u/, 'HighMemory'],
  [/^(inf)/, 'Inf'],
  [/^(trn)/, 'Trn'],
  [/^(dl)/, 'DL'],
  [/^(hpc)/, 'HPC'],
  [/^(g|vt)[0-9r]/, 'G'],
  [/^p[0-9]/, 'P'],
  [/^f[0-9]/, 'F'],
  [/^x[0-9]/, 'X'],
];

export const quotaClass = (family: string): string =>
  quotaClasses.find(([pattern]) => pattern.test(family))?.[1] ?? 'Standard';
