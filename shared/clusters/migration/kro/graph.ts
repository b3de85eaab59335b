/** A ResourceGraphDefinition as far as a migration reads it: which kind its instances have, and which objects it makes. Pure. */
import { asObject, isObject, type Json, type JsonObject } from '../../../base/json.ts';
import type { KubeObject, Resource } from '../../../kube/contract.ts';
import { pluralOf } from './kinds.ts';
import { kroGroup, kroVersion } from './marks.ts';

export interface GraphObject extends KubeObject {
  spec?: JsonObject;
  status?: JsonObject;
}

export const graphResource: Resource = {
  group: kroGroup,
  version: kroVersion,
  plural: 'resourcegraphdefinitions',
  kind: 'ResourceGraphDefinition',
  namespaced: false,
};

/** An instance, or a child: any object. */
export interface AnyObject extends KubeObject {
  spec?: JsonObject;
  status?: JsonObject;
}

export interface GraphNode {
  id: string;
  apiVersion: string;
  kind: string;
  /** As it stands in the template, with expressions; absent where there are several. */
  name?: string;
  namespace?: string;
  /** Only under a condition, or once for each of a list. */
  optional: boolean;
  template: JsonObject;
}

export interface Graph {
  name: string;
  uid: string;
  /** Of its instances. */
  instances: Resource;
  nodes: readonly GraphNode[];
}

const textIn = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

export function readGraph({ metadata, spec }: GraphObject): Graph | undefined {
  const schema = asObject(spec?.schema);
  const kind = textIn(schema?.kind);
  if (kind === undefined) return undefined;
  const resources = Array.isArray(spec?.resources) ? spec.resources : [];
  return {
    name: metadata.name,
    uid: metadata.uid,
    instances: {
      group: textIn(schema?.group) ?? kroGroup,
      version: textIn(schema?.apiVersion) ?? kroVersion,
      plural: pluralOf(kind),
      kind,
      namespaced: schema?.scope !== 'Cluster',
    },
    nodes: resources.flatMap((one) => (isObject(one) ? nodesIn(one) : [])),
  };
}

/** What is only read by a graph (`externalRef`) is none of its objects. */
function nodesIn({ id, template, includeWhen, forEach }: JsonObject): GraphNode[] {
  if (!isObject(template)) return [];
  const { apiVersion, kind, metadata } = template;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return [];
  const { name, namespace } = asObject(metadata) ?? {};
  const several = forEach !== undefined;
  return [
    {
      id: textIn(id) ?? kind,
      apiVersion,
      kind,
      ...(several || typeof name !== 'string' ? {} : { name }),
      ...(typeof namespace === 'string' ? { namespace } : {}),
      optional: several || includeWhen !== undefined,
      template,
    },
  ];
}

const expression = /\$\{([^}]*)\}/g;
const simplePath = /^schema\.((?:spec|metadata)(?:\.[A-Za-z_][A-Za-z0-9_]*)+)$/;

/** A text of a template for one instance; undefined where it takes more than fields of the instance. */
export function textFor(text: string, instance: AnyObject): string | undefined {
  let known = true;
  const filled = text.replace(expression, (_, inner: string) => {
    const path = simplePath.exec(inner.trim())?.[1]?.split('.') ?? [];
    let at: unknown = path.length === 0 ? undefined : instance;
    for (const step of path) at = isObject(at) ? (at as JsonObject)[step] : undefined;
    if (typeof at === 'string' || typeof at === 'number') return String(at);
    known = false;
    return '';
  });
  return known ? filled : undefined;
}
