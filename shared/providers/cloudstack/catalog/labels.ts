/** Labels of CloudStack nodes, under the names that Karpenter's provider for CloudStack gives them, and some of ours. */
import { labelValueOf } from '../../../base/kubernetes/label-syntax.ts';
import { labels } from '../../../nodes/claims/spec/well-known.ts';
import { archOf } from '../node-class/fit.ts';
import type {
  ResolvedCloudStackClass,
  ResolvedNetwork,
  ResolvedOffering,
  ResolvedTemplate,
  ResolvedZone,
} from '../node-class/resolved.ts';

const domain = 'karpenter.k8s.cloudstack';

export const cloudStackLabels = {
  zoneId: `${domain}/zone-id`,
  zoneName: `${domain}/zone-name`,
  networkId: `${domain}/network-id`,
  networkName: `${domain}/network-name`,
  offeringId: `${domain}/service-offering-id`,
  offeringName: `${domain}/service-offering-name`,
  templateId: `${domain}/template-id`,
  templateName: `${domain}/template-name`,
  diskOfferingId: `${domain}/disk-offering-id`,
  cpu: `${domain}/instance-cpu`,
  /** In MiB. */
  memory: `${domain}/instance-memory`,
  gpuName: `${domain}/instance-gpu-name`,
  gpuCount: `${domain}/instance-gpu-count`,
  gpuProfile: `${domain}/instance-vgpu-profile`,
} as const;

const hostTagDomain = `host-tag.${domain}`;
const storageTagDomain = `storage-tag.${domain}`;

export interface Size {
  cpuNumber: number;
  /** In MiB. */
  memory: number;
}

/** What every machine of a type has, wherever it is. */
export function typeLabels(
  offering: ResolvedOffering,
  { cpuNumber, memory }: Size,
  template: ResolvedTemplate | undefined,
  [volume]: ResolvedCloudStackClass['volumes'],
): Record<string, string> {
  const { gpu } = offering;
  return legal({
    [labels.os]: 'linux',
    [labels.arch]: archOf(offering) ?? template?.arch ?? 'amd64',
    [cloudStackLabels.offeringId]: offering.id,
    [cloudStackLabels.offeringName]: labelValueOf(offering.name),
    [cloudStackLabels.cpu]: String(cpuNumber),
    [cloudStackLabels.memory]: String(memory),
    ...(volume === undefined ? {} : { [cloudStackLabels.diskOfferingId]: volume.diskOfferingId }),
    ...(gpu === undefined
      ? {}
      : {
          [cloudStackLabels.gpuName]: labelValueOf(gpu.card),
          [cloudStackLabels.gpuCount]: String(gpu.count),
          [cloudStackLabels.gpuProfile]: labelValueOf(gpu.profile ?? ''),
        }),
    ...tagLabels(hostTagDomain, offering.hostTags),
    ...tagLabels(storageTagDomain, offering.storageTags),
  });
}

/** What a machine has besides by the zone that it is in. */
export const placeLabels = (
  zone: ResolvedZone,
  network: ResolvedNetwork | undefined,
  template: ResolvedTemplate | undefined,
): Record<string, string> =>
  legal({
    [cloudStackLabels.zoneId]: zone.id,
    [cloudStackLabels.zoneName]: zone.label,
    [cloudStackLabels.networkId]: network?.id ?? '',
    [cloudStackLabels.networkName]: labelValueOf(network?.name ?? ''),
    [cloudStackLabels.templateId]: template?.id ?? '',
    [cloudStackLabels.templateName]: labelValueOf(template?.name ?? ''),
  });

/** `ssd` becomes `…/ssd: "true"`, and `rack=a` becomes `…/rack: a`. */
function tagLabels(tagDomain: string, tags: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    tags.flatMap((tag) => {
      const [key = '', value] = tag.split(/=(.*)/s);
      const name = labelValueOf(key.replaceAll('/', '.'));
      return name === '' ? [] : [[`${tagDomain}/${name}`, value === undefined ? 'true' : labelValueOf(value)]];
    }),
  );
}

/** An empty value says nothing. */
const legal = (all: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
