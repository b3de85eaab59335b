/** The claim that a pool makes for one of its slots. */

import type { Json } from '../../base/json.ts';
import { labelsFrom, parseRequirements } from '../claims/spec/requirements.ts';
import { annotations, labels, wellKnownLabels } from '../claims/spec/well-known.ts';
import { hashVersion } from '../disruption/hash.ts';
import type { StoredPool } from '../disruption/types.ts';

export interface ClaimParts {
  name: string;
  replaces?: string | undefined;
  hash: string;
  nodeClassHash?: string | undefined;
}

export function claimFrom(pool: StoredPool, { name, replaces, hash, nodeClassHash }: ClaimParts): Json {
  const { template } = pool.spec;
  const { group, kind, name: className } = template.spec.nodeClassRef;
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: {
      name,
      labels: {
        ...template.metadata?.labels,
        ...fixedLabels(pool),
        [`${group}/${kind.toLowerCase()}`]: className,
        [labels.nodePool]: pool.metadata.name,
      },
      annotations: {
        ...template.metadata?.annotations,
        [annotations.nodePoolHash]: hash,
        [annotations.nodePoolHashVersion]: hashVersion,
        ...(nodeClassHash === undefined ? {} : { [annotations.nodeClassHash]: nodeClassHash }),
        ...(replaces === undefined ? {} : { [annotations.replaces]: replaces }),
      },
      ownerReferences: [
        {
          apiVersion: 'karpenter.sh/v1',
          kind: 'NodePool',
          name: pool.metadata.name,
          uid: pool.metadata.uid,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: JSON.parse(JSON.stringify(template.spec)) as Json,
  };
}

/**
 * Labels of the user's own that the requirements fix to one value: the node must have them, and only the claim can say so.
 * Those that the provider answers for come from the machine.
 */
function fixedLabels({ spec }: StoredPool): Record<string, string> {
  const wanted = parseRequirements(spec.template.spec.requirements ?? []);
  if (!wanted.ok) return {};
  return Object.fromEntries(Object.entries(labelsFrom(wanted.value)).filter(([key]) => !wellKnownLabels.has(key)));
}
