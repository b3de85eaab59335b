/**
 * Where objects of any kind are found. A graph names kinds, and an API server wants plurals: those of Azure Service Operator are known, and
 * the others follow the rule by which definitions are usually named.
 */
import type { Resource } from '../../../kube/contract.ts';
import { asoKinds } from '../../manifests/api-versions.ts';
import { isAsoKind } from '../../manifests/resources.ts';

const clusterScoped: ReadonlySet<string> = new Set([
  'Namespace',
  'ClusterRole',
  'ClusterRoleBinding',
  'AKSNodeClass',
  'NodePool',
]);

export function resourceOfKind({ apiVersion, kind }: { apiVersion: string; kind: string }): Resource {
  const slash = apiVersion.indexOf('/');
  const [group, version] = slash < 0 ? ['', apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
  const plural = isAsoKind(kind) && asoKinds[kind].group === group ? asoKinds[kind].plural : pluralOf(kind);
  return { group, version, plural, kind, namespaced: !clusterScoped.has(kind) };
}

export function pluralOf(kind: string): string {
  const word = kind.toLowerCase();
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}

export const isOfOperator = ({ apiVersion = '' }: { apiVersion?: string }): boolean =>
  /^[a-z]+(\.[a-z]+)*\.azure\.com\//.test(apiVersion) && !apiVersion.startsWith('karpenter.azure.com/');
