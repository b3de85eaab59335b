/**
 * Parts that several kinds of our API share. A schema here is what the API server holds an object to: no stricter than
 * upstream's `karpenter.sh/v1`, or claims that work elsewhere would be refused here. What a claim means is judged later.
 */
import { z } from 'zod';
import { conditionStatuses } from '../../base/kubernetes-object.ts';
import { requirementOperators, taintEffects } from '../claims/spec/types.ts';
import { labels } from '../claims/spec/well-known.ts';

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

const keyPattern =
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

export const quantities = (description: string) =>
  extended(
    z.record(
      z.string(),
      extended(z.union([z.int(), z.string()]), { pattern: quantityPattern, 'x-kubernetes-int-or-string': true }),
    ),
    { description },
  );

const taint = z.object({
  key: extended(z.string().min(1), { description: 'Key of the taint.', pattern: keyPattern }),
  // Upstream holds values to the pattern of keys: an empty value is refused, leave it out instead.
  value: text('Value of the taint; omit it for none.', { pattern: keyPattern }).optional(),
  effect: z.enum(taintEffects).describe('What happens to pods that do not tolerate the taint.'),
  timeAdded: time('When the taint was added.').optional(),
});

export const taints = (description: string) =>
  extended(z.array(taint), { description, 'x-kubernetes-list-type': 'atomic' });

/** Labels of Karpenter's own domain that a wish may speak of. */
const openLabels = `["${labels.capacityType}", "${labels.nodePool}"]`;
/** Upstream looks at the end of the domain only, so `notkarpenter.sh` is taken as well. */
const isOursToSet = (key: string): string => `${key}.split("/")[0].endsWith("karpenter.sh")`;

export const restrictedDomain = (key: string): string => `${key} in ${openLabels} || !${isOursToSet(key)}`;
export const restrictedDomainMessage = `labels of the domain karpenter.sh are set by the provisioner; only ${labels.capacityType} and ${labels.nodePool} can be requirements`;
export const hostnameMessage = `${labels.hostname} differs from node to node: use a zone or an instance type instead`;
export const poolMessage = `${labels.nodePool} is set by the NodePool itself: remove it`;

/** @param extraKeyRules What the place of the requirements forbids besides. */
export function requirements(extraKeyRules: readonly Rule[] = []) {
  const requirement = z.object({
    key: extended(z.string().max(316), {
      description: 'Label that the requirement applies to.',
      pattern: keyPattern,
      'x-kubernetes-validations': [
        { rule: restrictedDomain('self'), message: restrictedDomainMessage },
        { rule: `self != "${labels.hostname}"`, message: hostnameMessage },
        ...extraKeyRules,
      ],
    }),
    operator: z.enum(requirementOperators).describe("How the label's value is compared with the values."),
    values: extended(z.array(z.string()), {
      description:
        'Values to compare with. In and NotIn accept any number of values, the comparisons exactly one whole number, Exists and DoesNotExist none.',
      'x-kubernetes-list-type': 'atomic',
    }).optional(),
    minValues: z
      .int()
      .min(1)
      .max(50)
      .describe('Minimum number of different values that must remain possible, to keep the choice flexible.')
      .optional(),
  });
  return extended(z.array(requirement).max(100), {
    description: 'Requirements for the node. All of them must be met.',
    'x-kubernetes-list-type': 'atomic',
    'x-kubernetes-validations': [
      {
        rule: 'self.all(r, r.operator != "In" || (has(r.values) && r.values.size() > 0))',
        message: 'the operator In needs at least one value',
      },
      {
        rule: 'self.all(r, !(r.operator in ["Gt", "Lt", "Gte", "Lte"]) || (has(r.values) && r.values.size() == 1 && int(r.values[0]) >= 0))',
        message: 'the operators Gt, Gte, Lt and Lte need exactly one non-negative whole number',
      },
      {
        rule: 'self.all(r, r.operator != "In" || !has(r.minValues) || r.values.size() >= r.minValues)',
        message: 'a requirement with minValues and the operator In needs at least that many values',
      },
    ],
  });
}

export const nodeClassRef = (rules: readonly Rule[] = []) =>
  extended(
    z.object({
      group: extended(z.string().min(1), { description: 'API group of the node class.', pattern: '^[^/]*$' }),
      kind: z.string().min(1).describe('Kind of the node class.'),
      name: z.string().min(1).describe('Name of the node class.'),
    }),
    {
      description: 'The node class, which has the cloud-specific settings.',
      ...(rules.length === 0 ? {} : { 'x-kubernetes-validations': rules }),
    },
  );

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
