/** What a host may need to do in a management cluster for requests: the one list. Manifests are made of it, and each missing right is named. */
import { crdName } from '../../kube/crds/crd-names.ts';
import type { Right, Verb } from '../../kube/rights.ts';
import { type AsoKindName, asoKinds } from '../manifests/api-versions.ts';
import { clusterRequestKind } from '../request/kind.ts';

export interface NeededRight {
  group: string;
  resource: string;
  verb: Verb;
  namespace?: string;
  name?: string;
}

/** Server-side apply is a patch, and a create where the object is not there yet. */
const ofObjects: readonly Verb[] = ['get', 'list', 'create', 'patch', 'delete'];
const flux = [
  { group: 'source.toolkit.fluxcd.io', resource: 'gitrepositories' },
  { group: 'kustomize.toolkit.fluxcd.io', resource: 'kustomizations' },
];

export const allAsoKinds = Object.keys(asoKinds) as AsoKindName[];

/** @param kinds Of the operator, those that are needed. */
export function requestRights(kinds: readonly AsoKindName[] = allAsoKinds): Right[] {
  const { group, plural } = clusterRequestKind;
  return [
    {
      group,
      resource: plural,
      verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
      why: 'reads requests and writes their finalizer and record; creates requests that are made over HTTP; deletes a request whose lifetime has ended',
    },
    { group, resource: `${plural}/status`, verbs: ['patch'], why: 'writes stages and conditions of requests' },
    ...kinds.map(
      (kind): Right => ({
        group: asoKinds[kind].group,
        resource: asoKinds[kind].plural,
        verbs: ofObjects,
        why: `makes ${kind} objects for Azure Service Operator, and removes them with their request`,
      }),
    ),
    ...flux.map(
      (one): Right => ({
        ...one,
        verbs: ofObjects,
        why: 'applies the GitOps source of a request, if the Flux of the management cluster applies it (gitOps.mode remote)',
        optional: true,
      }),
    ),
    {
      group: '',
      resource: 'secrets',
      verbs: ['get'],
      why: 'reads the kubeconfig of a new cluster from the Secret that the operator writes into the namespace of the request',
    },
    {
      group: '',
      resource: 'events',
      verbs: ['create'],
      why: 'writes Events about requests in their namespaces',
      optional: true,
    },
    {
      group: 'apiextensions.k8s.io',
      resource: 'customresourcedefinitions',
      verbs: ['get'],
      names: allAsoKinds.map((kind) => crdName(asoKinds[kind])),
      why: 'checks which API versions of Azure Service Operator the cluster serves, before anything is made',
    },
  ];
}

/** Those without which a request cannot be carried out, one by one. What is listed is listed in all namespaces. */
export function neededRights(kinds: readonly AsoKindName[], namespace: string): NeededRight[] {
  return requestRights(kinds)
    .filter(({ optional }) => !optional)
    .flatMap(({ group, resource, verbs, names }) =>
      verbs.map((verb) => {
        const inNamespace = verb !== 'list' && verb !== 'watch' && names === undefined;
        const [name] = names ?? [];
        return {
          group,
          resource,
          verb,
          ...(inNamespace ? { namespace } : {}),
          ...(name === undefined ? {} : { name }),
        };
      }),
    );
}

export const rightText = ({ group, resource, verb, namespace }: NeededRight): string =>
  `${verb} ${group === '' ? resource : `${resource}.${group}`}${namespace === undefined ? '' : ` in ${namespace}`}`;
