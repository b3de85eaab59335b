/** What makes a kind of our API: its names, its schema, and what kubectl shows of it. `crd.ts` turns it into a CRD. */
import type { z } from 'zod';

export interface Column {
  name: string;
  type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  jsonPath: string;
  description: string;
  /** Only with `-o wide`. */
  wide?: true;
}

export interface KindDefinition {
  group: string;
  version: string;
  /** Further versions with the same schema, for manifests that name one of them. Objects are stored in `version`. */
  alsoServed?: readonly string[];
  kind: string;
  plural: string;
  /** Without it, the kind is cluster-scoped. */
  scope?: 'Namespaced';
  shortNames?: readonly string[];
  categories?: readonly string[];
  description: string;
  spec: z.ZodType;
  /** Upstream requires the spec of claims and pools; a node class without one is one where everything is as usual. */
  specRequired: boolean;
  status: z.ZodType;
  columns: readonly Column[];
  scale?: { specReplicasPath: string; statusReplicasPath: string };
}

/** `jsonPath` of a condition's field. */
export const conditionPath = (type: string, field: 'status' | 'reason' | 'message'): string =>
  `.status.conditions[?(@.type=="${type}")].${field}`;

/** `jsonPath` of a label; dots inside a key are escaped. */
export const labelPath = (key: string): string => `.metadata.labels.${key.replaceAll('.', '\\.')}`;

export const readyColumn = (description: string): Column => ({
  name: 'Ready',
  type: 'string',
  jsonPath: conditionPath('Ready', 'status'),
  description,
});

export const ageColumn: Column = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'Time since it was created.',
};

/** Why it is not Ready; nothing to see on what is. */
export const reasonColumn: Column = {
  name: 'Reason',
  type: 'string',
  jsonPath: conditionPath('Ready', 'reason'),
  description: 'Why it is, or is not, Ready.',
  wide: true,
};
