/**
 * Where AWS publishes the images that an alias means: public SSM parameters, one per architecture and kind of machine. A
 * release names its own parameter; `latest` is one that moves.
 */
import type { Alias } from './parse.ts';
import type { Arch, ImageVariant } from './resolved.ts';

export interface ImageParameter {
  name: string;
  arch: Arch;
  /** The machines that the image is for. */
  variants: readonly ImageVariant[];
}

const awsArch = { amd64: 'x86_64', arm64: 'arm64' } as const;

export function aliasParameters({ family, version }: Alias, kubernetesVersion: string): ImageParameter[] {
  switch (family) {
    case 'al2':
      return al2(version, kubernetesVersion);
    case 'al2023':
      return al2023(version, kubernetesVersion);
    case 'bottlerocket':
      return bottlerocket(version, kubernetesVersion);
    default: {
      const year = family.slice('windows'.length);
      const name = `/aws/service/ami-windows-latest/Windows_Server-${year}-English-Core-EKS_Optimized-${kubernetesVersion}/image_id`;
      return [{ name, arch: 'amd64', variants: ['standard'] }];
    }
  }
}

function al2(version: string, kubernetes: string): ImageParameter[] {
  const kinds = [
    { arch: 'amd64', suffix: '', variants: ['standard'] },
    { arch: 'arm64', suffix: '-arm64', variants: ['standard'] },
    // One image has the drivers for both kinds of accelerators.
    { arch: 'amd64', suffix: '-gpu', variants: ['nvidia', 'neuron'] },
  ] as const;
  return kinds.map(({ arch, suffix, variants }) => {
    const release = version === 'latest' ? 'recommended' : `amazon-eks${suffix}-node-${kubernetes}-${version}`;
    return {
      name: `/aws/service/eks/optimized-ami/${kubernetes}/amazon-linux-2${suffix}/${release}/image_id`,
      arch,
      variants,
    };
  });
}

function al2023(version: string, kubernetes: string): ImageParameter[] {
  const kinds = [
    { arch: 'amd64', variant: 'standard' },
    { arch: 'arm64', variant: 'standard' },
    { arch: 'amd64', variant: 'nvidia' },
    { arch: 'arm64', variant: 'nvidia' },
    { arch: 'amd64', variant: 'neuron' },
  ] as const;
  return kinds.map(({ arch, variant }) => {
    const machine = awsArch[arch];
    const release =
      version === 'latest' ? 'recommended' : `amazon-eks-node-al2023-${machine}-${variant}-${kubernetes}-${version}`;
    const name = `/aws/service/eks/optimized-ami/${kubernetes}/amazon-linux-2023/${machine}/${variant}/${release}/image_id`;
    return { name, arch, variants: [variant] };
  });
}

function bottlerocket(version: string, kubernetes: string): ImageParameter[] {
  // Releases are written with a v, and their parameters without.
  const release = version === 'latest' ? 'latest' : version.replace(/^v/, '');
  const kinds = [
    { arch: 'amd64', suffix: '', variants: ['standard', 'neuron'] },
    { arch: 'arm64', suffix: '', variants: ['standard'] },
    { arch: 'amd64', suffix: '-nvidia', variants: ['nvidia'] },
    { arch: 'arm64', suffix: '-nvidia', variants: ['nvidia'] },
  ] as const;
  return kinds.map(({ arch, suffix, variants }) => ({
    name: `/aws/service/bottlerocket/aws-k8s-${kubernetes}${suffix}/${awsArch[arch]}/${release}/image_id`,
    arch,
    variants,
  }));
}
