/** Karpenter's own CRDs, served beside ours: under another group, so that one server holds both. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { KubeManifest } from '../kube/cluster.ts';
import { moduleDirectory } from '../kube/parts.ts';

export const upstreamGroup = 'karpenter.upstream.test';

type Definition = KubeManifest & {
  spec: { group: string; names: { plural: string; categories?: string[] }; versions: { name: string }[] };
};

export async function upstreamDefinitions(): Promise<Definition[]> {
  const folder = join(await moduleDirectory('karpenter-kwok'), 'pkg/apis/crds');
  return ['karpenter.sh_nodeclaims.yaml', 'karpenter.sh_nodepools.yaml'].map((file) => {
    const definition = parse(readFileSync(join(folder, file), 'utf8')) as Definition;
    const { categories: _, ...names } = definition.spec.names;
    return {
      ...definition,
      metadata: { ...definition.metadata, name: `${names.plural}.${upstreamGroup}` },
      spec: { ...definition.spec, group: upstreamGroup, names },
    };
  });
}
