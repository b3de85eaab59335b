/** Parts that the schemas of several kinds share, whichever product they belong to. */
import { z } from 'zod';
import { conditionStatuses } from '../../base/kubernetes/object.ts';

/** What zod has no word for, in Kubernetes' own: it is copied into the generated schema as it stands. */
export interface Extensions {
  description?: string;
  format?: string;
  pattern?: string;
  default?: unknown;
  maxProperties?: number;
  'x-kubernetes-validations'?: readonly Rule[];
  'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  'x-kubernetes-preserve-unknown-fields'?: true;
  'x-kubernetes-list-map-keys'?: readonly string[];
  'x-kubernetes-map-type'?: 'atomic' | 'granular';
  'x-kubernetes-int-or-string'?: true;
}

/** A rule in CEL. Its message stands alone in what kubectl prints, so it says what to do. */
export interface Rule {
  rule: string;
  message: string;
}

/** Of labels and taints. */
export const keyPattern =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$';
export const labelValuePattern = '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$';
const quantityPattern =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';
/** Whole hours, minutes and seconds; Go's fractions are not among what upstream accepts. */
export const durationPattern = '^([0-9]+(s|m|h))+$';

/** A schema with what Kubernetes wants to know about it. */
export const extended = <T extends z.ZodType>(schema: T, extensions: Extensions): T => schema.meta({ ...extensions });

export const text = (description: string, extensions: Extensions = {}) =>
  extended(z.string(), { description, ...extensions });

export const time = (description: string) => text(description, { format: 'date-time' });

export const duration = (description: string) => text(description, { pattern: durationPattern });

export const durationOrNever = (description: string) => text(description, { pattern: '^(([0-9]+(s|m|h))+|Never)$' });

const anyQuantity = { pattern: quantityPattern, 'x-kubernetes-int-or-string': true } as const;

export const quantity = (description: string) =>
  extended(z.union([z.int(), z.string()]), { description, ...anyQuantity });

export const quantities = (description: string) =>
  extended(z.record(z.string(), extended(z.union([z.int(), z.string()]), anyQuantity)), { description });

/** @param how `lenient` as upstream's NodeClaims have it: reason and message may be missing or empty. */
export function conditions(how: 'strict' | 'lenient' = 'strict') {
  const strict = how === 'strict';
  const word = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?';
  const reason = extended(strict ? z.string().min(1).max(1024) : z.string().max(1024), {
    description: 'Reason for the status, as one word for programs.',
    pattern: strict ? `^${word}$` : `^(${word}|)$`,
  });
  const message = z.string().max(32_768).describe('Reason for the status, as a sentence for people.');
  const condition = z.object({
    type: extended(z.string().max(316), {
      description: 'Type of the condition.',
      pattern:
        '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
    }),
    status: z.enum(conditionStatuses).describe('Status of the condition.'),
    observedGeneration: extended(z.int().min(0), {
      description: 'Generation of the object that the condition is based on.',
      format: 'int64',
    }).optional(),
    lastTransitionTime: time('When the status last changed.'),
    reason: strict ? reason : reason.optional(),
    message: strict ? message : message.optional(),
  });
  return extended(z.array(condition), {
    description: 'Conditions of the object, each with the time of its last change.',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
  });
}
