/** What an EC2NodeClass comes to at AWS right now. Plain data: it is kept in state and shared by all claims of the class. */
import type { AmiFamily, Ec2NodeClassSpec } from './schema.ts';

export type Arch = 'amd64' | 'arm64';

/** For which machines an image is made; `standard` ones have no drivers of accelerators. */
export type ImageVariant = 'standard' | 'nvidia' | 'neuron';

export type ResolvedAmi = {
  id: string;
  name: string;
  arch: Arch;
  /** Absent: it is for every machine of its architecture. */
  variant?: ImageVariant;
  /** As EC2 writes it; the newest comes first. */
  createdAt: string;
  /** When its owner wants it no longer used, as EC2 writes it; it works beyond that. */
  deprecatedAt?: string;
  /** Where the image has its root volume, such as `/dev/xvda`. */
  rootDevice?: string;
};

export type ResolvedSubnet = { id: string; zone: string; zoneId: string; freeAddresses: number };

export type ResolvedSecurityGroup = { id: string; name: string };

export type ResolvedReservation = {
  id: string;
  instanceType: string;
  zone: string;
  /** How many machines it still has. */
  available: number;
  ownerId: string;
  matchCriteria: 'open' | 'targeted';
  endsAt?: number;
};

export type ResolvedPlacementGroup = { id: string; name: string; strategy: string };

export interface ResolvedEc2Class {
  name: string;
  spec: Ec2NodeClassSpec;
  family: AmiFamily;
  amis: readonly ResolvedAmi[];
  subnets: readonly ResolvedSubnet[];
  securityGroups: readonly ResolvedSecurityGroup[];
  reservations: readonly ResolvedReservation[];
  placementGroup?: ResolvedPlacementGroup;
  /** With a `role` the profile is ours, and made before the first launch (`ensureInstanceProfile`). */
  instanceProfile: { name: string; role?: string };
}

/** The cluster that nodes join, as user data tells it. */
export interface Ec2Cluster {
  /** The name at EKS, or any name for a cluster that is none. */
  name: string;
  /** `https://…` of the API server. */
  endpoint: string;
  /** PEM in base64, as EKS gives it. */
  certificateAuthority: string;
  /** Such as `1.34`: images are made for a version. */
  kubernetesVersion: string;
  /** The addresses of services; the DNS of the cluster is its tenth. */
  serviceCidr?: string;
  ipFamily?: 'ipv4' | 'ipv6';
}
