/**
 * CloudStackNodeClass, with the fields of Karpenter's provider for CloudStack and some of ours. Where that provider's definition is
 * installed, that one is used. What a single field may be is said here; what fields say together is judged in `parse.ts`.
 */
import { z } from 'zod';
import { extended } from '../../../nodes/api/parts.ts';
import { kubeletField } from '../../kubelet.ts';
import {
  affinityField,
  bootField,
  dataVolumesField,
  detailsField,
  leaseField,
  rootDiskSizeField,
  staticAddressesField,
  userDataSettingsField,
} from './schema-machine.ts';
import { tagsField } from './schema-tags.ts';
import { filled, networkTerms, offeringTerms, templateTerms } from './schema-terms.ts';

const mostZones = 30;

export const cloudStackNodeClassSchema = extended(
  z.strictObject({
    zone: filled('Name or id of the zone in which instances are created. Either this or zones.').optional(),
    zones: extended(z.array(filled('Name or id of a zone.')).min(1).max(mostZones), {
      description: 'Names or ids of the zones in which instances may be created. Either this or zone.',
      'x-kubernetes-list-type': 'set',
    }).optional(),
    networkSelectorTerms: networkTerms,
    serviceOfferingSelectorTerms: offeringTerms(
      'serviceOfferingSelectorTerms',
      'Service offerings to choose from: the matches of all terms.',
    ),
    spotOfferingSelectorTerms: offeringTerms(
      'spotOfferingSelectorTerms',
      'Which of the selected service offerings are preemptible: their capacity type is spot.',
    ).optional(),
    templateSelectorTerms: templateTerms,
    userData: z
      .string()
      .describe('User data of the instances, usually for cloud-init. It has to make the instance join the cluster.')
      .optional(),
    userDataSettings: userDataSettingsField.optional(),
    tags: tagsField.optional(),
    details: detailsField.optional(),
    rootDiskSize: rootDiskSizeField.optional(),
    diskOffering: filled('Name or id of the disk offering of a data volume.').optional(),
    dataVolumes: dataVolumesField.optional(),
    sshKeyPair: filled('Name of the SSH key pair of the instances.').optional(),
    affinity: affinityField.optional(),
    securityGroups: extended(z.array(filled('Name or id of a security group.')).min(1).max(20), {
      description: 'Security groups of the instances, in zones that have them.',
    }).optional(),
    boot: bootField.optional(),
    staticAddresses: staticAddressesField.optional(),
    extraConfig: filled('Additional configuration of the instance for the hypervisor, such as a GPU.', 5120).optional(),
    lease: leaseField.optional(),
    kubelet: kubeletField.optional(),
  }),
  {
    description: 'How nodes of this class are created.',
    'x-kubernetes-validations': [
      { rule: 'has(self.zone) != has(self.zones)', message: 'set either zone or zones' },
      {
        rule: "!has(self.boot) || !has(self.boot.mode) || self.boot.mode != 'Secure' || self.boot.type == 'UEFI'",
        message: 'boot.mode Secure needs boot.type UEFI',
      },
    ],
  },
);

export type CloudStackNodeClassSpec = z.infer<typeof cloudStackNodeClassSchema>;
export type { NetworkTerm, OfferingTerm, TemplateTerm } from './schema-terms.ts';
