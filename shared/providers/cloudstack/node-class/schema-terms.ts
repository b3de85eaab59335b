/** Selector terms: any of them may match, and within one all of its fields have to. */
import { z } from 'zod';
import { extended } from '../../../nodes/api/parts.ts';

const mostTerms = 30;
const mostTags = 20;

export const filled = (description: string, most = 255) => extended(z.string().min(1).max(most), { description });

const noEmptyTag = 'neither keys nor values may be empty; * matches any value';

const selectorTags = (description: string) =>
  extended(
    z
      .record(z.string(), z.string())
      .refine((tags) => Object.entries(tags).every(([key, value]) => key !== '' && value !== ''), noEmptyTag),
    {
      description,
      maxProperties: mostTags,
      'x-kubernetes-validations': [{ rule: "self.all(k, k != '' && self[k] != '')", message: `tags: ${noEmptyTag}` }],
    },
  );

const networkTerm = z.strictObject({
  tags: selectorTags('Tags of the network that must all match; * matches any value.').optional(),
  id: filled('Id of the network.').optional(),
  name: filled('Name of the network.').optional(),
});

const offeringTerm = z.strictObject({
  tags: selectorTags(
    'Details, host tags and storage tags of the offering that must all match, because CloudStack has no tags on offerings: a detail key=value, a tag key=value, or a tag key where the value is *.',
  ).optional(),
  id: filled('Id of the service offering.').optional(),
  name: filled('Name of the service offering.').optional(),
});

const templateTerm = z.strictObject({
  tags: selectorTags('Tags of the template that must all match; * matches any value.').optional(),
  id: filled('Id of the template.').optional(),
  name: filled('Name of the template.').optional(),
  osType: filled('Operating system of the template, or the beginning of its name, such as Ubuntu 22.04.').optional(),
});

const terms = <T extends z.ZodType>(term: T, description: string, name: string, fields: readonly string[]) =>
  extended(z.array(term).min(1, 'it must have at least one term').max(mostTerms), {
    description,
    'x-kubernetes-validations': [
      { rule: 'self.size() != 0', message: `${name} cannot be empty` },
      {
        rule: `self.all(x, ${fields.map((field) => `has(x.${field})`).join(' || ')})`,
        message: `each term of ${name} needs one of ${fields.join(', ')}`,
      },
    ],
  });

export const networkTerms = terms(
  networkTerm,
  'Networks of the instances, in the order of the terms: each is a network interface, and the first is the default.',
  'networkSelectorTerms',
  ['tags', 'id', 'name'],
);
export const offeringTerms = (
  name: 'serviceOfferingSelectorTerms' | 'spotOfferingSelectorTerms',
  description: string,
) => terms(offeringTerm, description, name, ['tags', 'id', 'name']);
export const templateTerms = terms(
  templateTerm,
  'Templates to choose from: the matches of all terms. Of several that fit, the newest is used.',
  'templateSelectorTerms',
  ['tags', 'id', 'name', 'osType'],
);

export type NetworkTerm = z.infer<typeof networkTerm>;
export type OfferingTerm = z.infer<typeof offeringTerm>;
export type TemplateTerm = z.infer<typeof templateTerm>;
