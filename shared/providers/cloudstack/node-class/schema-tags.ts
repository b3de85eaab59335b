/** Tags that a class gives its instances, and which of them are not for a class to give. */
import { z } from 'zod';
import type { Problem } from '../../../base/problems.ts';
import { extended } from '../../../nodes/api/parts.ts';

/** The database of CloudStack holds no longer ones. */
const longest = 255;
const mostTags = 50;

const restricted = ['karpenter.sh/nodepool', 'karpenter.sh/nodeclaim', 'karpenter.k8s.cloudstack/nodeclass'] as const;
const restrictedPrefix = 'poolwright.dev/';

const restrictedMessage = `these tags identify the owner of an instance and are set by the provisioner: ${restricted.join(', ')} and all that start with ${restrictedPrefix}`;

export const tagsField = extended(z.record(z.string(), z.string()), {
  description: 'Tags of instances and volumes, in addition to those that identify their owner.',
  maxProperties: mostTags,
  'x-kubernetes-validations': [
    { rule: "self.all(k, k != '')", message: 'names of tags must not be empty' },
    { rule: "self.all(k, self[k] != '')", message: 'values of tags must not be empty' },
    {
      rule: `self.all(k, !(k in ${JSON.stringify(restricted)}) && !k.startsWith("${restrictedPrefix}"))`,
      message: restrictedMessage,
    },
  ],
});

export function tagProblems(tags: Readonly<Record<string, string>>): Problem[] {
  const path = 'spec.tags';
  const entries = Object.entries(tags);
  const problems: Problem[] = [];
  if (entries.length > mostTags) {
    problems.push({ path, message: `has ${entries.length} tags; at most ${mostTags} are allowed` });
  }
  const known = new Set<string>();
  for (const [key, value] of entries) {
    // Its database compares so, and refuses all tags of an instance for one that is there twice.
    const twice = known.has(key.toLowerCase());
    known.add(key.toLowerCase());
    const at = `${path}["${key}"]`;
    if (key === '') problems.push({ path, message: 'names of tags must not be empty' });
    else if (restricted.some((one) => one === key.toLowerCase()) || key.toLowerCase().startsWith(restrictedPrefix)) {
      problems.push({ path: at, message: `remove it; ${restrictedMessage}` });
    } else if (value === '') {
      problems.push({ path: at, message: 'is empty, which CloudStack refuses; give it a value, or remove it' });
    } else if (twice) {
      problems.push({ path: at, message: 'is there twice for CloudStack, which ignores case; remove one of them' });
    } else if (key.length > longest || value.length > longest) {
      problems.push({ path: at, message: `names and values of tags have at most ${longest} characters` });
    }
  }
  return problems;
}
