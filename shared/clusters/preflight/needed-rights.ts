/** What a host may need to do in the management cluster for one request, so that each missing right can be named. */
import { type AsoKindName, asoKinds } from '../manifests/api-versions.ts';
import { clusterRequestKind } from '../request/kind.ts';

export interface NeededRight {
  group: string;
  resource: string;
  verb: 'get' | 'list' | 'watch' | 'create' | 'patch' | 'delete';
  namespace?: string;
}

/** Server-side apply is a patch, and a create where the object is not there yet. */
const ofObjects = ['get', 'create', 'patch', 'delete'] as const;

export function neededRights(kinds: readonly AsoKindName[], namespace: string): NeededRight[] {
  const { group, plural } = clusterRequestKind;
  return [
    ...(['get', 'list', 'patch'] as const).map((verb) => ({ group, resource: plural, verb, namespace })),
    { group, resource: `${plural}/status`, verb: 'patch', namespace },
    ...kinds.flatMap((kind) =>
      ofObjects.map((verb) => ({ group: asoKinds[kind].group, resource: asoKinds[kind].plural, verb, namespace })),
    ),
    { group: '', resource: 'secrets', verb: 'get', namespace },
    { group: '', resource: 'configmaps', verb: 'get', namespace },
    { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions', verb: 'get' },
  ];
}

export const rightText = ({ group, resource, verb, namespace }: NeededRight): string =>
  `${verb} ${group === '' ? resource : `${resource}.${group}`}${namespace === undefined ? '' : ` in ${namespace}`}`;
