/** Fields that several node classes of Azure have. */
import { z } from 'zod';
import { parseDuration } from '../../../base/durations.ts';
import { durationPattern, extended } from '../../../nodes/api/parts.ts';
import { longestTagName, longestTagValue, mostOwnTags } from '../pools/tags.ts';

export const tagsField = extended(z.record(z.string(), z.string()), {
  description: 'Tags of the agent pools and their resources, in addition to those that Poolwright sets.',
  maxProperties: mostOwnTags,
  'x-kubernetes-validations': [
    {
      rule: `self.all(k, size(k) <= ${longestTagName})`,
      message: `names of tags have at most ${longestTagName} characters`,
    },
    { rule: `self.all(k, !k.matches('[<>%&?/]'))`, message: 'names of tags must not contain any of < > % & ? /' },
    { rule: `self.all(k, !k.contains('\\\\'))`, message: 'names of tags must not contain \\' },
    {
      rule: `self.all(k, size(self[k]) <= ${longestTagValue})`,
      message: `values of tags have at most ${longestTagValue} characters`,
    },
    {
      rule: `self.all(k, !k.startsWith('poolwright-'))`,
      message: 'tags that start with poolwright- identify the owner of a pool; choose another name',
    },
  ],
});

export const maxPodsField = z
  .int()
  .min(10)
  .max(250)
  .describe("Maximum number of pods on a node. Default: Azure's default for the network plugin.");

const deadline = (description: string) =>
  extended(
    z.string().superRefine((text, context) => {
      if (!parseDuration(text).ok)
        context.addIssue({ code: 'custom', message: 'it must be a duration such as 90s or 15m' });
    }),
    { description, pattern: durationPattern },
  ).optional();

export const deadlinesField = z
  .strictObject({
    launch: deadline('Until Azure has created the pool and its node has joined the cluster.'),
    registration: deadline('From then until the node is registered.'),
    initialization: deadline('From then until the node is ready for pods.'),
  })
  .describe("How long each stage of a node's start may take.");
