/** Where the objects of manifests are found in an API server. */
import { type AsoKindName, asoKinds } from './api-versions.ts';

export interface ManifestResource {
  group: string;
  version: string;
  plural: string;
  kind: string;
  namespaced: boolean;
}

/** What node auto-provisioning reads in a new cluster. */
export const nodeClassKind = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', plural: 'aksnodeclasses' } as const;

/** Those that no operator of Azure makes. */
const plain: Readonly<Record<string, { plural: string; namespaced: boolean }>> = {
  [nodeClassKind.kind]: { plural: nodeClassKind.plural, namespaced: false },
  NodePool: { plural: 'nodepools', namespaced: false },
  GitRepository: { plural: 'gitrepositories', namespaced: true },
  Kustomization: { plural: 'kustomizations', namespaced: true },
};

export const isAsoKind = (kind: string): kind is AsoKindName => Object.hasOwn(asoKinds, kind);

export function resourceOf({ apiVersion, kind }: { apiVersion: string; kind: string }): ManifestResource {
  const slash = apiVersion.indexOf('/');
  const [group, version] = [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
  if (isAsoKind(kind)) return { group, version, plural: asoKinds[kind].plural, kind, namespaced: true };
  const known = plain[kind];
  if (known === undefined) throw new Error(`no manifest has the kind ${kind}`);
  return { group, version, kind, ...known };
}
