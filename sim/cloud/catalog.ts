/** What the simulated cloud sells: 24 types in three zones, on demand and mostly also as spot. */
import type { CapacityType } from '../../shared/nodes/claims/spec/well-known.ts';

export interface CatalogType {
  name: string;
  arch: 'amd64' | 'arm64';
  cpu: number;
  memoryGi: number;
  gpus: number;
  /** Per hour on demand; null where the cloud does not publish one. */
  price: number | null;
  /** Not every type is sold as spot. */
  spot: boolean;
  zones: readonly string[];
}

export type Catalog = readonly CatalogType[];

interface CatalogOffering {
  instanceType: string;
  zone: string;
  capacityType: CapacityType;
  price: number | null;
}

export const region = 'sim-1';
export const zones = ['zone-a', 'zone-b', 'zone-c'] as const;

const cents = (price: number): number => Math.round(price * 10_000) / 10_000;

const sizes = { small: 2, medium: 4, large: 8, xlarge: 16, '2xlarge': 32 } as const;

/** Price per CPU and hour, and memory per CPU, are what tells the families apart. */
function family(
  prefix: string,
  names: readonly (keyof typeof sizes)[],
  perCpu: { memoryGi: number; price: number },
  arch: CatalogType['arch'] = 'amd64',
): CatalogType[] {
  return names.map((size) => ({
    name: `${prefix}-${size}`,
    arch,
    cpu: sizes[size],
    memoryGi: sizes[size] * perCpu.memoryGi,
    gpus: 0,
    price: cents(sizes[size] * perCpu.price),
    spot: true,
    zones,
  }));
}

const gpu = (name: string, cpu: number, gpus: number, price: number | null, more: Partial<CatalogType> = {}) => ({
  name,
  arch: 'amd64' as const,
  cpu,
  memoryGi: cpu * 8,
  gpus,
  price,
  spot: true,
  zones,
  ...more,
});

export const defaultCatalog: Catalog = [
  ...family('general', ['small', 'medium', 'large', 'xlarge', '2xlarge'], { memoryGi: 4, price: 0.024 }),
  ...family('compute', ['medium', 'large', 'xlarge', '2xlarge'], { memoryGi: 2, price: 0.0212 }),
  ...family('memory', ['medium', 'large', 'xlarge', '2xlarge'], { memoryGi: 8, price: 0.0315 }),
  ...family('arm', ['small', 'medium', 'large', 'xlarge'], { memoryGi: 4, price: 0.0193 }, 'arm64'),
  gpu('gpu-small', 4, 1, 0.526),
  gpu('gpu-medium', 8, 1, 1.006),
  gpu('gpu-large', 48, 4, 5.672),
  gpu('gpu-xlarge', 96, 8, 32.77, { zones: ['zone-a', 'zone-b'] }),
  gpu('gpu-arm', 16, 1, 0.842, { arch: 'arm64' }),
  // Sold by agreement: the price list does not show these.
  gpu('gpu-reserved', 128, 8, null, { spot: false, zones: ['zone-c'] }),
  { ...gpu('preview-large', 8, 0, null), spot: false },
];

/** A third of the price, a little different from zone to zone, so that the cheapest offering is one and only one. */
export function offeringsOf(type: CatalogType): CatalogOffering[] {
  return type.zones.flatMap((zone) => {
    const onDemand = { instanceType: type.name, zone, capacityType: 'on-demand' as const, price: type.price };
    if (!type.spot) return [onDemand];
    const share = 0.3 + 0.02 * Math.max(0, zones.indexOf(zone as (typeof zones)[number]));
    const price = type.price === null ? null : cents(type.price * share);
    return [onDemand, { instanceType: type.name, zone, capacityType: 'spot' as const, price }];
  });
}

export const gpuResource = 'nvidia.com/gpu';

export const capacityOf = oncePerType((type) =>
  withGpus(type, {
    cpu: String(type.cpu),
    memory: `${type.memoryGi}Gi`,
    pods: '110',
    'ephemeral-storage': '100Gi',
  }),
);

/** What is left for pods: the kubelet and the system keep a little of everything. */
export const allocatableOf = oncePerType((type) => {
  const reservedMi = 255 + Math.round(type.memoryGi * 1024 * 0.03);
  return withGpus(type, {
    cpu: `${type.cpu * 1000 - 80}m`,
    memory: `${type.memoryGi * 1024 - reservedMi}Mi`,
    pods: '110',
    'ephemeral-storage': '90Gi',
  });
});

function withGpus(type: CatalogType, resources: Record<string, string>): Record<string, string> {
  return type.gpus === 0 ? resources : { ...resources, [gpuResource]: String(type.gpus) };
}

/** Every answer about an instance shows these, so they are made once. */
function oncePerType<T>(make: (type: CatalogType) => T): (type: CatalogType) => T {
  const made = new WeakMap<CatalogType, T>();
  return (type) => {
    const known = made.get(type);
    if (known !== undefined) return known;
    const fresh = make(type);
    made.set(type, fresh);
    return fresh;
  };
}
