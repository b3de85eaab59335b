/**
 * Who could serve a claim. Several providers of a cluster may serve the same kind of node class; which of them gets the
 * claim is decided where it is launched (`shared/nodes/steps/provider-choice.ts`). Nothing here asks anybody.
 */
import { annotations } from '../nodes/claims/spec/well-known.ts';
import { type ServedClaim, selects } from './claim-selector.ts';
import type { NodeClassKind, Provider } from './contract.ts';

/** The object behind a claim's nodeClassRef, as the cluster serves it. */
export interface NodeClassResource extends NodeClassKind {
  namespaced: false;
}

/** A provider that could serve a claim, and the kind of the claim's node class. */
export interface Serving {
  provider: Provider;
  /** What the configuration calls `type`; `provider.name` is the name that it has there. */
  type: string;
  resource: NodeClassResource;
}

/** A provider under its configured name, and its type. */
export interface TypedProvider {
  provider: Provider;
  type: string;
}

/** The kind of this reference, if the provider knows it at all. Claims from before karpenter.sh/v1 carry no group. */
export function resourceOf(
  provider: Provider,
  ref: { group?: string | undefined; kind: string },
): NodeClassResource | undefined {
  const { group = '', kind } = ref;
  const served = provider.nodeClasses.find((one) => one.kind === kind && (group === '' || one.group === group));
  return served && { ...served, namespaced: false };
}

/** Everybody who could serve the claim, in the order of the configuration. None: it is not ours, and stays untouched. */
export function servingOf(providers: readonly TypedProvider[], claim: ServedClaim): Serving[] {
  return providers.flatMap(({ provider, type }) => {
    const resource = resourceOf(provider, claim.nodeClassRef);
    if (resource === undefined) return [];
    const served = selects(provider.serves, underItsType(claim, provider.name, type));
    return served ? [{ provider, type, resource }] : [];
  });
}

/** A provider's own code knows its type, not the name that the configuration gave it. */
function underItsType(claim: ServedClaim, name: string, type: string): ServedClaim {
  if (name === type || claim.annotations[annotations.provider] !== name) return claim;
  return { ...claim, annotations: { ...claim.annotations, [annotations.provider]: type } };
}

/** Each kind once, however many providers serve it; it may be absent only if nobody needs it. */
export function kindsOf(providers: readonly Pick<Provider, 'nodeClasses'>[]): NodeClassKind[] {
  const kinds = new Map<string, NodeClassKind>();
  for (const kind of providers.flatMap(({ nodeClasses }) => nodeClasses)) {
    const key = `${kind.plural}.${kind.group}`;
    const known = kinds.get(key);
    if (known === undefined || (known.optional && !kind.optional)) kinds.set(key, kind);
  }
  return [...kinds.values()];
}
