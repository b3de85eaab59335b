/** What a provider sells, prepared once for the thousands of claims that choose from it. */

import { labelDomain } from '../../../base/kubernetes/label-syntax.ts';
import { type Problem, quoteInput } from '../../../base/problems.ts';
import { type Quantity, zeroQuantity } from '../spec/quantities.ts';
import { parseResources, type Resources } from '../spec/resources.ts';
import type { ResourceList } from '../spec/types.ts';
import { capacityTypes, labels, normalizeLabelKey } from '../spec/well-known.ts';
import { type InstanceType, knownPrice, type Offering, offeringKey } from './offerings.ts';

export interface CatalogOffering {
  readonly type: CatalogType;
  readonly offering: Offering;
  readonly key: string;
}

export interface CatalogType {
  readonly name: string;
  /** Labels that hold for all its instances, the instance type among them; not zone and capacity type. */
  readonly labels: ReadonlyMap<string, string>;
  readonly allocatable: Resources;
  /** As the provider wrote it, for people: what is chosen by is what is left for pods. */
  readonly capacity: ResourceList;
  readonly exotic: boolean;
  readonly offerings: readonly CatalogOffering[];
}

export interface Catalog {
  readonly types: readonly CatalogType[];
  /** Of all types, best first: by price, unknown ones last, then spot before on-demand. */
  readonly offerings: readonly CatalogOffering[];
  /** Every label that some type or offering has, with all its values. */
  readonly values: ReadonlyMap<string, ReadonlySet<string>>;
  /** Labels that a type has on some of its offerings; zone and capacity type are not among them. */
  readonly offeringLabels: ReadonlySet<string>;
  /** The label domains that the provider uses: a label in one of them that it does not define is a mistake. */
  readonly domains: ReadonlySet<string>;
  readonly resources: ReadonlySet<string>;
  /** What the provider reported wrongly. Such types are left out, and the others used. */
  readonly problems: readonly Problem[];
}

export function compileCatalog(instanceTypes: readonly InstanceType[]): Catalog {
  const problems: Problem[] = [];
  const types = new Map<string, CatalogType>();
  for (const [index, instanceType] of instanceTypes.entries()) {
    const at = `instanceTypes[${index}]`;
    if (types.has(instanceType.name)) {
      problems.push({
        path: `${at}.name`,
        message: `${quoteInput(instanceType.name)} is listed twice; the first entry is used`,
      });
      continue;
    }
    const allocatable = parseResources(instanceType.allocatable ?? instanceType.capacity, `${at}.allocatable`);
    if (allocatable.ok) types.set(instanceType.name, compileType(instanceType, allocatable.value));
    else problems.push(...allocatable.problems);
  }
  const all = [...types.values()];
  const values = valuesOf(all);
  return {
    types: all,
    offerings: bestFirst(all),
    values,
    offeringLabels: new Set(
      all.flatMap((type) => type.offerings.flatMap(({ offering }) => Object.keys(offering.labels ?? {}))),
    ),
    domains: new Set([...values.keys()].map(labelDomain).filter((domain) => domain !== '')),
    resources: new Set(all.flatMap((type) => [...type.allocatable.keys()])),
    problems,
  };
}

/** The value of a label on an offering; nothing if it does not have the label. */
export function labelOf({ type, offering }: CatalogOffering, key: string): string | undefined {
  if (key === labels.zone) return offering.zone === '' ? undefined : offering.zone;
  if (key === labels.capacityType) return offering.capacityType;
  const own = offering.labels;
  return own !== undefined && Object.hasOwn(own, key) ? own[key] : type.labels.get(key);
}

function compileType(instanceType: InstanceType, allocatable: Resources): CatalogType {
  const ofType = new Map(Object.entries(instanceType.labels).map(([key, value]) => [normalizeLabelKey(key), value]));
  ofType.set(labels.instanceType, instanceType.name);
  // Where and how it is bought is a matter of the offering, whatever a provider writes here.
  ofType.delete(labels.zone);
  ofType.delete(labels.capacityType);
  const offerings: CatalogOffering[] = [];
  const type: CatalogType = {
    name: instanceType.name,
    labels: ofType,
    allocatable,
    capacity: instanceType.capacity,
    exotic: instanceType.exotic === true,
    offerings,
  };
  for (const offered of instanceType.offerings) {
    const offering = { ...offered, instanceType: instanceType.name, price: knownPrice(offered.price) };
    offerings.push({ type, offering, key: offeringKey(offering) });
  }
  return type;
}

function valuesOf(types: readonly CatalogType[]): Map<string, Set<string>> {
  const values = new Map<string, Set<string>>([
    [labels.instanceType, new Set()],
    [labels.zone, new Set()],
    [labels.capacityType, new Set()],
  ]);
  const add = (key: string, value: string | undefined): void => {
    if (value === undefined) return;
    const known = values.get(key);
    if (known === undefined) values.set(key, new Set([value]));
    else known.add(value);
  };
  for (const type of types) {
    for (const [key, value] of type.labels) add(key, value);
    for (const one of type.offerings) {
      add(labels.zone, labelOf(one, labels.zone));
      add(labels.capacityType, one.offering.capacityType);
      for (const [key, value] of Object.entries(one.offering.labels ?? {})) add(key, value);
    }
  }
  return values;
}

function bestFirst(types: readonly CatalogType[]): CatalogOffering[] {
  const size = new Map(types.toSorted(bySize).map((type, index) => [type, index]));
  return types
    .flatMap((type) => type.offerings)
    .sort((a, b) => {
      const priceA = a.offering.price ?? Number.POSITIVE_INFINITY;
      const priceB = b.offering.price ?? Number.POSITIVE_INFINITY;
      if (priceA !== priceB) return priceA < priceB ? -1 : 1;
      const rank = capacityRank(a.offering) - capacityRank(b.offering);
      if (rank !== 0) return rank;
      // Without prices the smallest machine is the best guess at the cheapest; a name would pick at random.
      const bySizes = a.offering.price === undefined ? size.get(a.type)! - size.get(b.type)! : 0;
      return bySizes || byText(a.type.name, b.type.name) || byText(a.offering.zone, b.offering.zone);
    });
}

const capacityRank = (offering: Offering): number => capacityTypes.indexOf(offering.capacityType);

/** Devices weigh most, then CPU, then memory. */
function bySize(a: CatalogType, b: CatalogType): number {
  return (
    compare(devices(a), devices(b)) ||
    compare(amount(a, 'cpu').nanos, amount(b, 'cpu').nanos) ||
    compare(amount(a, 'memory').nanos, amount(b, 'memory').nanos) ||
    byText(a.name, b.name)
  );
}

const amount = (type: CatalogType, resource: string): Quantity => type.allocatable.get(resource) ?? zeroQuantity;

/** Resources with a domain are devices (`nvidia.com/gpu`). */
function devices(type: CatalogType): bigint {
  let sum = 0n;
  for (const [resource, value] of type.allocatable) if (resource.includes('/')) sum += value.nanos;
  return sum;
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
