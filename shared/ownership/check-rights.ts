/** Asks the API server, when a cluster is connected, whether we may do all that we will have to. */

import type { V1SelfSubjectAccessReview } from '@kubernetes/client-node';
import { defined } from '../base/defined.ts';
import type { Json } from '../base/json.ts';
import type { ClusterApi } from '../kube/contract.ts';
import { selfSubjectAccessReviews } from '../kube/contract.ts';
import type { LooselyStored } from '../kube/stored.ts';

/** One thing that we will do there. */
export interface NeededRight {
  readonly group: string;
  readonly resource: string;
  readonly verbs: readonly string[];
  readonly namespace?: string;
  readonly names?: readonly string[];
  readonly why: string;
  readonly optional?: true;
}

type Review = LooselyStored<V1SelfSubjectAccessReview>;

/** So that a cluster of many rules does not take all connections. */
const atOnce = 8;

/**
 * What is refused, in sentences. A server that will not say counts as one that allows: it says no to the deed itself then, and
 * that is told where it happens.
 */
export async function checkRights(
  api: ClusterApi,
  rights: readonly NeededRight[],
  signal?: AbortSignal,
): Promise<string[]> {
  const questions = rights
    .filter(({ optional }) => !optional)
    .flatMap((right) =>
      right.verbs.flatMap((verb) => (right.names ?? [undefined]).map((name) => ({ right, verb, name }))),
    );
  const refused = new Map<NeededRight, Set<string>>();
  const next = questions.values();
  const ask = async (): Promise<void> => {
    for (const { right, verb, name } of next) {
      if ((await mayDo(api, right, verb, name, signal)) !== false) continue;
      refused.set(right, (refused.get(right) ?? new Set()).add(verb));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, ask));
  // In the order of the list, not of the answers: the same finding has to read the same.
  return rights.flatMap((right) => {
    const verbs = right.verbs.filter((verb) => refused.get(right)?.has(verb));
    if (verbs.length === 0) return [];
    const where = right.namespace === undefined ? '' : ` in namespace ${right.namespace}`;
    return [`may not ${verbs.join(', ')} ${nameOf(right)}${where} (${right.why})`];
  });
}

/** As kubectl names it: `nodeclaims.karpenter.sh/status`. */
function nameOf({ group, resource }: NeededRight): string {
  const [plural, subresource] = resource.split('/');
  return `${plural}${group === '' ? '' : `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`;
}

async function mayDo(
  api: ClusterApi,
  right: NeededRight,
  verb: string,
  name: string | undefined,
  signal: AbortSignal | undefined,
): Promise<boolean | undefined> {
  const { group, namespace } = right;
  const [resource = '', subresource] = right.resource.split('/');
  const review: Json = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    metadata: {},
    spec: {
      resourceAttributes: {
        group,
        resource,
        verb,
        ...defined({ subresource, namespace, name }),
      },
    },
  };
  const answer = await api.create<Review>(selfSubjectAccessReviews, review, signal);
  return answer.ok ? answer.value.status?.allowed : undefined;
}
