/**
 * Fields of an AKSNodeClass that only Karpenter's own provider for Azure supports. They are in the schema so that the API server refuses a
 * class that uses one: a field that the schema lacks is dropped, and the class would promise what no node has.
 */
import { z } from 'zod';
import { extended } from '../../../nodes/api/parts.ts';

const message =
  "only Karpenter's own provider for Azure supports this, agent pools do not; remove it, or use another class for these claims";

/** @param rule In CEL, when the field may stay because it switches off what agent pools do not do; `isOff` says the same. */
const unsupported = <T extends z.ZodRawShape>(
  fields: T,
  rule: string,
  isOff: (value: Readonly<Record<string, unknown>>) => boolean,
  description: string,
) =>
  extended(
    z.looseObject(fields).superRefine((value, context) => {
      if (!isOff(value)) context.addIssue({ code: 'custom', message });
    }),
    {
      description: `${description} Not supported for agent pools.`,
      'x-kubernetes-preserve-unknown-fields': true,
      'x-kubernetes-validations': [{ rule, message }],
    },
  ).optional();

const flag = z.boolean().describe('Whether it is on.').optional();
const setting = z.string().max(64).describe('A setting of the node.').optional();
const linuxFields = {
  swapFileSize: setting,
  transparentHugePageEnabled: setting,
  transparentHugePageDefrag: setting,
  sysctls: extended(z.looseObject({}), {
    description: 'Kernel parameters.',
    'x-kubernetes-preserve-unknown-fields': true,
  }).optional(),
};
const isSet = (value: unknown): boolean => value !== undefined && value !== null;

export const unsupportedFields = {
  artifactStreaming: unsupported(
    { enabled: flag },
    '!has(self.enabled) || !self.enabled',
    ({ enabled }) => enabled !== true,
    'Streaming of container images.',
  ),
  linuxOSConfig: unsupported(
    linuxFields,
    Object.keys(linuxFields)
      .map((field) => `!has(self.${field})`)
      .join(' && '),
    (value) => !Object.values(value).some(isSet),
    'Settings of the Linux kernel.',
  ),
  localDNS: unsupported(
    { mode: z.string().max(64).describe('Preferred, Required or Disabled.').optional() },
    "!has(self.mode) || self.mode == 'Disabled'",
    ({ mode }) => !isSet(mode) || mode === 'Disabled',
    'A DNS proxy on each node.',
  ),
  security: unsupported(
    { encryptionAtHost: flag },
    '!has(self.encryptionAtHost) || !self.encryptionAtHost',
    ({ encryptionAtHost }) => encryptionAtHost !== true,
    'Encryption of disks and caches on the host.',
  ),
};
