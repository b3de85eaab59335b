/**
 * What a class can be made of: its offerings as instance types, in its zones. Everything comes from what the class resolved to, so a
 * list is worked out anew only when that has changed.
 */
import { RecentMap } from '../../../base/recent-map.ts';
import type { InstanceType, Offering, OfferingRef } from '../../../nodes/claims/choice/offerings.ts';
import { bestTemplate, whyNoFit } from '../node-class/fit.ts';
import type {
  ResolvedCloudStackClass,
  ResolvedNetwork,
  ResolvedOffering,
  ResolvedTemplate,
  ResolvedZone,
} from '../node-class/resolved.ts';
import type { CustomSize } from '../node-class/schema-machine.ts';
import type { PriceTable } from '../options.ts';
import { placeLabels, typeLabels } from './labels.ts';
import { type NamedType, namedTypes } from './names.ts';
import { priceOf } from './prices.ts';
import { resourcesOf } from './resources.ts';

export interface CatalogOptions {
  prices: PriceTable | undefined;
  vmMemoryOverheadPercent: number;
}

/** What a launch needs of an offering that was chosen. */
export interface SetUp {
  zone: ResolvedZone;
  offering: ResolvedOffering;
  size?: CustomSize;
  template: ResolvedTemplate;
  /** In the order of the network interfaces. */
  networks: readonly ResolvedNetwork[];
  /** What the Node gets besides the labels of its type. */
  labels: Readonly<Record<string, string>>;
}

/** Few classes are in use at once. */
const mostLists = 50;

export class CloudStackCatalog {
  readonly #options: CatalogOptions;
  readonly #lists = new RecentMap<string, readonly InstanceType[]>({ max: mostLists });

  constructor(options: CatalogOptions) {
    this.#options = options;
  }

  /** The same list as long as nothing has changed. */
  instanceTypes(resolved: ResolvedCloudStackClass): readonly InstanceType[] {
    const key = JSON.stringify(shapedBy(resolved));
    const known = this.#lists.get(key);
    if (known !== undefined) return known;
    const types = typesOf(resolved).map((type) => this.#instanceType(type, resolved));
    this.#lists.set(key, types);
    return types;
  }

  /** By the id of an offering, the names of the instance types that it becomes. */
  namesOf(resolved: ResolvedCloudStackClass): ReadonlyMap<string, readonly string[]> {
    const names = new Map<string, string[]>();
    for (const { name, offering } of typesOf(resolved)) {
      names.set(offering.id, [...(names.get(offering.id) ?? []), name]);
    }
    return names;
  }

  /** Undefined: the class has no such type, or not there, by now. */
  setUp(resolved: ResolvedCloudStackClass, { instanceType, zone: label }: OfferingRef): SetUp | undefined {
    const zone = resolved.zones.find((one) => one.label === label);
    const type = typesOf(resolved).find(({ name }) => name === instanceType);
    if (zone === undefined || type === undefined) return undefined;
    const template = bestTemplate(type.offering, inZone(resolved.templates, zone), resolved.spec);
    if (template === undefined) return undefined;
    const networks = resolved.networks.filter(({ zoneId }) => zoneId === zone.id);
    return {
      zone,
      offering: type.offering,
      ...(type.size === undefined ? {} : { size: type.size }),
      template,
      networks,
      labels: placeLabels(zone, networks[0], template),
    };
  }

  #instanceType({ name, offering, size }: NamedType, resolved: ResolvedCloudStackClass): InstanceType {
    const of = size ?? offering;
    const { templates, spec } = resolved;
    const template = bestTemplate(offering, templates, spec);
    return {
      name,
      labels: typeLabels(offering, of, template, resolved.volumes),
      ...resourcesOf(offering, of, template, spec, this.#options),
      offerings: resolved.zones.map((zone) => this.#offering(name, offering, of, zone, resolved)),
      ...(offering.gpu === undefined ? {} : { exotic: true }),
    };
  }

  #offering(
    instanceType: string,
    offering: ResolvedOffering,
    size: { cpuNumber: number; memory: number },
    zone: ResolvedZone,
    resolved: ResolvedCloudStackClass,
  ): Offering {
    const template = bestTemplate(offering, inZone(resolved.templates, zone), resolved.spec);
    const why = whyUnavailable(offering, zone, template, resolved);
    const network = resolved.networks.find(({ zoneId }) => zoneId === zone.id);
    return {
      instanceType,
      zone: zone.label,
      capacityType: offering.capacityType,
      price: priceOf(this.#options.prices, offering, size, zone),
      available: why === undefined,
      ...(why === undefined ? {} : { unavailableReason: why }),
      labels: placeLabels(zone, network, template),
    };
  }
}

const inZone = (templates: readonly ResolvedTemplate[], { id }: ResolvedZone): ResolvedTemplate[] =>
  templates.filter(({ zoneId }) => zoneId === id);

const typesOf = ({ offerings, spec }: ResolvedCloudStackClass): NamedType[] =>
  namedTypes(offerings, spec.details ?? []);

function whyUnavailable(
  offering: ResolvedOffering,
  zone: ResolvedZone,
  template: ResolvedTemplate | undefined,
  { templates, spec }: ResolvedCloudStackClass,
): string | undefined {
  if (offering.zoneIds !== undefined && !offering.zoneIds.includes(zone.id)) {
    return `offering ${offering.name} is not offered in zone ${zone.name}`;
  }
  if (template !== undefined) return undefined;
  const here = templates.find(({ zoneId }) => zoneId === zone.id);
  return here === undefined ? `no template in zone ${zone.name}` : whyNoFit(offering, here, spec);
}

/** All of a class that its list of types depends on. */
const shapedBy = ({ spec, zones, networks, templates, offerings, volumes }: ResolvedCloudStackClass): unknown => [
  spec.details,
  spec.rootDiskSize,
  spec.kubelet,
  zones,
  networks,
  templates,
  offerings,
  volumes,
];
