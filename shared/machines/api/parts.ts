/**
 * Parts that the kinds of virtual machines share. Nothing here is stricter than VirtRigaud's definitions, or objects that work elsewhere would be
 * refused. What an object means is judged later, on the object.
 */
import { z } from 'zod';
import type { Condition } from '../../base/kubernetes/object.ts';
import { extended, text } from '../../kube/crds/schema-parts.ts';

const namePattern = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$';
const octet = '(25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)';
const address = `${octet}(\\.${octet}){3}`;

/** Text with an upper limit. */
export const upTo = (most: number, description: string) => extended(z.string().max(most), { description });

export const name = (description: string, most = 253) =>
  extended(z.string().max(most), { description, pattern: namePattern });

export const choice = <const T extends readonly [string, ...string[]]>(values: T, description: string) =>
  z.enum(values).describe(description);

export const flag = (description: string) => z.boolean().describe(description);

export const count = (description: string, least?: number, most?: number) =>
  extended(bounded(least, most), { description, format: 'int32' });

export const bigCount = (description: string, least?: number, most?: number) =>
  extended(bounded(least, most), { description, format: 'int64' });

function bounded(least?: number, most?: number) {
  const from = least === undefined ? z.int() : z.int().min(least);
  return most === undefined ? from : from.max(most);
}

export const list = <T extends z.ZodType>(item: T, description: string, most?: number) =>
  (most === undefined ? z.array(item) : z.array(item).max(most)).describe(description);

export const texts = (description: string, most?: number) => list(z.string(), description, most);

export const map = (description: string, maxProperties?: number) =>
  extended(z.record(z.string(), z.string()), {
    description,
    ...(maxProperties === undefined ? {} : { maxProperties }),
  });

export const ipv4 = (description: string) => text(description, { pattern: `^${address}$` });

export const cidr = (description: string) => text(description, { pattern: `^${address}/([0-9]|[12][0-9]|3[0-2])$` });

export const mac = (description: string) => text(description, { pattern: '^([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}$' });

/** A part of a pod or of a volume claim: Kubernetes itself judges it when the object that contains it is applied. */
export const ofKubernetes = (description: string) =>
  extended(z.looseObject({}), { description, 'x-kubernetes-preserve-unknown-fields': true });

/** An object of the same namespace. */
export const localRef = (description: string) => z.object({ name: name('Name of the object.') }).describe(description);

/** An object that may be in another namespace. */
export const ref = (description: string) =>
  z
    .object({
      name: name('Name of the object.'),
      namespace: name(
        'Namespace of the object. Default: the namespace of the object that refers to it.',
        63,
      ).optional(),
    })
    .describe(description);

/** As Kubernetes itself refers to Secrets and Services. */
export const looseRef = (description: string) =>
  z.object({ name: z.string().describe('Name of the object.').default('') }).describe(description);

export const selector = (description: string) =>
  z
    .object({
      matchLabels: map('Labels, each with the value that it must have.'),
      matchExpressions: extended(
        z.array(
          z.object({
            key: text('Label that the expression is about.'),
            operator: text('In, NotIn, Exists or DoesNotExist.'),
            values: extended(z.array(z.string()), {
              description: 'Values to compare with.',
              'x-kubernetes-list-type': 'atomic',
            }).optional(),
          }),
        ),
        { description: 'Further expressions; all of them must hold.', 'x-kubernetes-list-type': 'atomic' },
      ),
    })
    .partial()
    .describe(description);

export const checksumTypes = ['md5', 'sha1', 'sha256', 'sha512'] as const;
export const imageFormats = ['qcow2', 'raw', 'vmdk', 'vhd', 'vhdx', 'iso', 'ova', 'ovf'] as const;
export const environments = ['dev', 'staging', 'prod', 'test', 'qa', 'uat'] as const;

export const observedGeneration = bigCount('Generation of the object that the status is about.');
export const message = text('The state as a sentence.');
export const eta = text('When it is expected to end.');

/** The conditions of an object as programs see them; on the wire they have a schema of their own. */
export type WithConditions<T> = Omit<T, 'conditions'> & { conditions?: Condition[] };
