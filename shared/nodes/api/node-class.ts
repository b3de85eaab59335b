/**
 * What the node classes of all providers have in common. A provider's own folder describes the rest: a
 * `KindDefinition` beside its schema, named in the registry of providers, is all that a further one takes.
 */
import { z } from 'zod';
import { ageColumn, type Column, type KindDefinition, readyColumn, reasonColumn } from '../../kube/crds/definition.ts';
import { conditions, extended, text } from './parts.ts';

/** What a selector of the class resolved to, so that kubectl answers what will be bought. */
const usual: z.ZodRawShape = {
  image: text('Image of new nodes.').optional(),
  instanceTypes: extended(z.int().min(0), {
    description: 'Number of instance types to choose from.',
    format: 'int64',
  }).optional(),
  zones: extended(z.array(z.string()), {
    description: 'Zones in which nodes can be created.',
    'x-kubernetes-list-type': 'set',
  }).optional(),
};

const statusWith = (resolved: z.ZodRawShape) =>
  z
    .object({ conditions: conditions().optional(), ...resolved })
    .describe('Whether the node class is ready, and what its selectors resolved to.');

export interface NodeClassOptions {
  group: string;
  version: string;
  alsoServed?: readonly string[];
  kind: string;
  plural: string;
  shortNames: readonly string[];
  description: string;
  spec: z.ZodType;
  /** A class that can't do without a spec. */
  specRequired?: boolean;
  /** What the status has besides conditions, where that is another one than usual. */
  resolved?: z.ZodRawShape;
  columns: readonly Column[];
}

/** A node class whose status is written by our reconciler. */
export const nodeClassDefinition = ({
  spec,
  specRequired = false,
  resolved = usual,
  columns,
  ...names
}: NodeClassOptions): KindDefinition => ({
  ...names,
  categories: ['poolwright'],
  spec,
  specRequired,
  status: statusWith(resolved),
  columns: [readyColumn('Whether the node class is ready.'), ...columns, ageColumn, reasonColumn],
});
