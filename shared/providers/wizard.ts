/** What `poolwright init` knows of a provider: it looks around, and writes a first configuration and a first claim or pool. */
import type { Json } from '../base/json.ts';

/** A node as far as a cloud can be recognized by it. */
export interface SeenNode {
  providerID: string;
  labels: Readonly<Record<string, string>>;
}

export type Values = Readonly<Record<string, string>>;

/** The half of a claim or pool that is special to a provider. */
export interface ManifestHalf {
  /** Undefined where no object is needed. */
  nodeClass?: { comment: string; object: Json };
  ref: { group: string; kind: string; name: string };
  labels?: Record<string, string>;
  requirements: { comment: string; list: Json };
  /** What a claim asks for; a pool has no requests of its own. */
  requests: Record<string, string>;
}

export interface Wizard {
  /** By the address of the API server and the name of the context, as the cloud's own tools write them. */
  byNames?(context: { name: string; server: string }): Values | undefined;
  byNode?(node: SeenNode): Values | undefined;
  /** Under names that the cloud's own tools have. */
  fromEnvironment?(env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined>;
  /** Which credentials a host on this machine would find; a name of where they are, nothing of what they are. */
  credentials(
    env: Readonly<Record<string, string | undefined>>,
    hasFile: (path: string) => boolean,
  ): string | undefined;
  /** Its options from what was asked, where they are not the same fields. */
  options?(values: Values): Readonly<Record<string, Json>>;
  /** Further lines of its part of the configuration. */
  readonly lines: readonly string[];
  manifest(values: Values): ManifestHalf;
}

/** A node class with nothing in it. */
export const emptyClass = (apiVersion: string, kind: string): Json => ({
  apiVersion,
  kind,
  metadata: { name: 'default' },
  spec: {},
});

export const capacityTypes = (values: string[]): Json => [
  { key: 'karpenter.sh/capacity-type', operator: 'In', values },
];
export const instanceTypes = (values: string[]): Json => [
  { key: 'node.kubernetes.io/instance-type', operator: 'In', values },
];
