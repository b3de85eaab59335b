/** What a provider sells in a cluster, joined with what could not be had lately; a page at a time, in an order that stays. */

import { defined } from '../../../shared/base/defined.ts';
import { quoteInput } from '../../../shared/base/problems.ts';
import { failed, ok, type Result } from '../../../shared/base/result.ts';
import type { Catalog, CatalogOffering } from '../../../shared/nodes/claims/choice/catalog.ts';
import { parseQuantity, toNumber } from '../../../shared/nodes/claims/spec/quantities.ts';
import type { ResourceList } from '../../../shared/nodes/claims/spec/types.ts';
import { type CapacityType, labels } from '../../../shared/nodes/claims/spec/well-known.ts';
import { catalogFor } from '../../../shared/nodes/offerings/catalog.ts';
import { isMarked, unavailableOfferings } from '../../../shared/nodes/offerings/unavailable-offerings.ts';
import type { FunctionServices } from '../../declaration.ts';
import { nodeClassesOf } from './node-classes-of.ts';

export interface ListOfferingsInput {
  provider: string;
  cluster: string;
  /** Only what this class may use; else what any class of the provider may. */
  nodeClass?: { kind: string; name: string };
  /** The key of the last one of the page before. */
  after?: string;
  limit: number;
}

export interface OfferingRow {
  instanceType: string;
  zone: string;
  capacityType: CapacityType;
  pricePerHour?: number;
  available: boolean;
  /** `until` in milliseconds. */
  unavailable?: { reason?: string; until?: number };
  cpu?: string;
  memory?: string;
  gpus?: number;
  architecture?: string;
}

export interface ListOfferingsOutput {
  items: OfferingRow[];
  next?: string;
  /** Node classes whose offerings could not be read. */
  problems?: string[];
}

export async function answerListOfferings(
  services: FunctionServices,
  { provider: name, cluster: clusterName, nodeClass, after = '', limit }: ListOfferingsInput,
  signal: AbortSignal,
): Promise<Result<ListOfferingsOutput>> {
  const cluster = services.cluster(clusterName);
  const provider = cluster?.providers.find((one) => one.name === name);
  if (!cluster || !provider) {
    return failed('not-found', `provider ${quoteInput(name)} does not serve cluster ${quoteInput(clusterName)}`);
  }
  const classes = await nodeClassesOf(services, cluster, provider, nodeClass, signal);
  if (!classes.ok) return classes;
  const found = new Map<string, CatalogOffering>();
  const problems: string[] = [];
  for (const one of classes.value) {
    const catalog = await catalogFor(services, provider, one, signal);
    if (catalog.ok) merge(found, catalog.value);
    else problems.push(catalog.error.message);
    if (!catalog.ok && classes.value.length === 1) return catalog;
  }
  const isUnavailable = isMarked(await unavailableOfferings(services, name));
  const keys = [...found.keys()].filter((key) => key > after).sort();
  const page = keys.slice(0, limit);
  const items = page.flatMap((key) => {
    const item = found.get(key);
    return item === undefined ? [] : [rowOf(item, isUnavailable)];
  });
  const next = keys.length > page.length ? page.at(-1) : undefined;
  return ok({
    items,
    ...defined({ next }),
    ...(problems.length === 0 ? {} : { problems: [...new Set(problems)] }),
  });
}

/** What one class can have can be had, whatever another one says. */
function merge(found: Map<string, CatalogOffering>, { offerings }: Catalog): void {
  for (const item of offerings) {
    const known = found.get(item.key);
    if (known === undefined || (item.offering.available && !known.offering.available)) found.set(item.key, item);
  }
}

function rowOf({ type, offering, key }: CatalogOffering, isUnavailable: ReturnType<typeof isMarked>): OfferingRow {
  const { instanceType, zone, capacityType, price } = offering;
  const mark = isUnavailable(offering, key, type);
  const available = offering.available && mark === undefined;
  const reason = mark?.reason ?? offering.unavailableReason;
  // Both must be over before it can be had.
  const until = Math.max(mark?.until ?? 0, offering.unavailableUntil ?? 0);
  const { cpu, memory } = type.capacity;
  const gpus = gpusIn(type.capacity);
  const architecture = type.labels.get(labels.arch);
  return {
    instanceType,
    zone,
    capacityType,
    ...defined({ pricePerHour: price }),
    available,
    ...(available ? {} : { unavailable: { ...defined({ reason }), ...(until === 0 ? {} : { until }) } }),
    ...(cpu === undefined ? {} : { cpu: String(cpu) }),
    ...(memory === undefined ? {} : { memory: String(memory) }),
    ...(gpus === 0 ? {} : { gpus }),
    ...defined({ architecture }),
  };
}

/** Device plugins name them after their makers: nvidia.com/gpu, amd.com/gpu. */
function gpusIn(capacity: ResourceList): number {
  let sum = 0;
  for (const [name, amount] of Object.entries(capacity)) {
    const parsed = name.endsWith('/gpu') ? parseQuantity(amount) : undefined;
    if (parsed?.ok) sum += toNumber(parsed.value);
  }
  return sum;
}
