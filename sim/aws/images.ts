/** The machine images of the region, and the public parameters that name the newest of them. */
import { createHash } from 'node:crypto';
import type { Architecture } from './types.ts';

export interface Image {
  id: string;
  name: string;
  owner: string;
  ownerAlias: string | undefined;
  arch: Architecture;
  createdAt: number;
  tags: Record<string, string>;
  platform: 'windows' | undefined;
  deprecatedAt: number | undefined;
}

const versions = ['1.30', '1.31', '1.32', '1.33', '1.34', '1.35', '1.36'] as const;
const eksAccount = '602401143452';

/** The older release first. */
const releases = [
  { date: '20260915', bottlerocket: '1.50.0', at: Date.UTC(2026, 8, 15) },
  { date: '20261027', bottlerocket: '1.51.0', at: Date.UTC(2026, 9, 27) },
] as const;

const idOf = (name: string): string => `ami-0${createHash('sha256').update(name).digest('hex').slice(0, 16)}`;

const image = (name: string, arch: Architecture, at: number, more: Partial<Image> = {}): Image => ({
  id: idOf(name),
  name,
  owner: eksAccount,
  ownerAlias: 'amazon',
  arch,
  createdAt: at,
  tags: {},
  platform: undefined,
  deprecatedAt: undefined,
  ...more,
});

/** A variant of a family: how its images are called, and where the parameters for it stand. */
interface Variant {
  arch: Architecture;
  imageName: (version: string, release: (typeof releases)[number]) => string;
  parameter: (version: string, release: (typeof releases)[number] | 'latest', name: string) => string;
  platform?: 'windows';
}

const al2023 = (arch: Architecture, kind: 'standard' | 'nvidia' | 'neuron'): Variant => {
  const imageName: Variant['imageName'] = (version, { date }) =>
    `amazon-eks-node-al2023-${arch}-${kind}-${version}-v${date}`;
  return {
    arch,
    imageName,
    parameter: (version, release, name) =>
      `/aws/service/eks/optimized-ami/${version}/amazon-linux-2023/${arch}/${kind}/${release === 'latest' ? 'recommended' : name}/image_id`,
  };
};

const al2 = (arch: Architecture, gpu: boolean): Variant => {
  const suffix = arch === 'arm64' ? '-arm64' : gpu ? '-gpu' : '';
  return {
    arch,
    imageName: (version, { date }) => `amazon-eks${suffix === '' ? '' : suffix}-node-${version}-v${date}`,
    parameter: (version, release, name) =>
      `/aws/service/eks/optimized-ami/${version}/amazon-linux-2${suffix}/${release === 'latest' ? 'recommended' : name}/image_id`,
  };
};

const bottlerocket = (arch: Architecture, nvidia: boolean): Variant => {
  const suffix = nvidia ? '-nvidia' : '';
  return {
    arch,
    imageName: (version, release) =>
      `bottlerocket-aws-k8s-${version}${suffix}-${arch}-v${release.bottlerocket}-3f1c2d4e`,
    parameter: (version, release) =>
      `/aws/service/bottlerocket/aws-k8s-${version}${suffix}/${arch}/${release === 'latest' ? 'latest' : release.bottlerocket}/image_id`,
  };
};

const windows = (year: '2019' | '2022'): Variant => ({
  arch: 'x86_64',
  platform: 'windows',
  imageName: (version, { date }) => `Windows_Server-${year}-English-Core-EKS_Optimized-${version}-${date}`,
  parameter: (version, release, name) =>
    `/aws/service/ami-windows-latest/${release === 'latest' ? `Windows_Server-${year}-English-Core-EKS_Optimized-${version}` : name}/image_id`,
});

const variants: readonly Variant[] = [
  al2023('x86_64', 'standard'),
  al2023('arm64', 'standard'),
  al2023('x86_64', 'nvidia'),
  al2023('arm64', 'nvidia'),
  al2023('x86_64', 'neuron'),
  al2('x86_64', false),
  al2('x86_64', true),
  al2('arm64', false),
  bottlerocket('x86_64', false),
  bottlerocket('arm64', false),
  bottlerocket('x86_64', true),
  bottlerocket('arm64', true),
  windows('2019'),
  windows('2022'),
];

export interface Images {
  images: Map<string, Image>;
  /** By the parameter's name. */
  parameters: Map<string, string>;
}

/** AWS's own images, and two that the account has built itself. */
export function makeImages(account: string): Images {
  const images = new Map<string, Image>();
  const parameters = new Map<string, string>();
  for (const version of versions) {
    for (const variant of variants) {
      for (const release of releases) {
        const made = image(variant.imageName(version, release), variant.arch, release.at, {
          platform: variant.platform,
        });
        images.set(made.id, made);
        parameters.set(variant.parameter(version, release, made.name), made.id);
        // The newest comes last, and is what the parameter names in the end.
        parameters.set(variant.parameter(version, 'latest', made.name), made.id);
      }
    }
  }
  for (const arch of ['x86_64', 'arm64'] as const) {
    const own = { owner: account, ownerAlias: undefined, tags: { team: 'web', 'karpenter.sh/discovery': 'demo' } };
    const made = image(`web-node-${arch}-1`, arch, Date.UTC(2026, 9, 1), own);
    images.set(made.id, made);
  }
  parameters.set('/web/image', idOf('web-node-x86_64-1'));
  return { images, parameters };
}
