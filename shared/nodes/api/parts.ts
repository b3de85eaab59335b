/**
 * Parts that several kinds of our API share. A schema here is what the API server holds an object to: no stricter than
 * upstream's `karpenter.sh/v1`, or claims that work elsewhere would be refused here. What a claim means is judged later.
 */
import { z } from 'zod';
import { extended, keyPattern, type Rule, text, time } from '../../kube/crds/schema-parts.ts';
import { requirementOperators, taintEffects } from '../claims/spec/types.ts';
import { labels } from '../claims/spec/well-known.ts';

export {
  conditions,
  duration,
  durationOrNever,
  durationPattern,
  extended,
  labelValuePattern,
  quantities,
  type Rule,
  text,
  time,
} from '../../kube/crds/schema-parts.ts';

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
