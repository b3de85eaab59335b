/** CustomResourceDefinitions of our kinds, as they go to the API server. */
import type { Json } from '../../base/json.ts';
import { crdName, versionAnnotation } from './crd-names.ts';
import type { Column, KindDefinition } from './definition.ts';
import { structuralSchema } from './structural.ts';

/** Not the client's V1CustomResourceDefinition: that has other names for the `x-kubernetes-…` fields, which we write as they are on the wire. */
export type Crd = {
  apiVersion: 'apiextensions.k8s.io/v1';
  kind: 'CustomResourceDefinition';
  metadata: { name: string; annotations: { [name: string]: string } };
  spec: { [field: string]: Json };
};

export function toCrd(definition: KindDefinition, release: string): Crd {
  const {
    group,
    version,
    alsoServed = [],
    kind,
    plural,
    shortNames,
    categories,
    scale,
    scope = 'Cluster',
  } = definition;
  const inVersion = (name: string): Json => ({
    name,
    served: true,
    storage: name === version,
    subresources: { status: {}, ...(scale ? { scale } : {}) },
    additionalPrinterColumns: definition.columns.map(printerColumn),
    schema: { openAPIV3Schema: objectSchema(definition) },
  });
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: crdName(definition), annotations: { [versionAnnotation]: release } },
    spec: {
      group,
      scope,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        ...(shortNames ? { shortNames: [...shortNames] } : {}),
        ...(categories ? { categories: [...categories] } : {}),
      },
      versions: [...alsoServed, version].map(inVersion),
    },
  };
}

const printerColumn = ({ name, type, jsonPath, description, wide }: Column): Json => ({
  name,
  type,
  jsonPath,
  description,
  ...(wide ? { priority: 1 } : {}),
});

const objectSchema = ({ description, spec, specRequired, status }: KindDefinition): Json => ({
  description,
  type: 'object',
  ...(specRequired ? { required: ['spec'] } : {}),
  properties: {
    apiVersion: { description: 'Version of the schema that this object is written in.', type: 'string' },
    kind: { description: 'Kind of object.', type: 'string' },
    metadata: { type: 'object' },
    spec: structuralSchema(spec),
    status: structuralSchema(status),
  },
});
