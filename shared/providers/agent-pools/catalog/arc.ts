/** What a cluster on Azure Arc can have: the sizes that its custom location offers. There are no zones, quotas or prices. */
import * as z from 'zod';
import type { Json } from '../../../base/json.ts';
import { failed, ok, type Result } from '../../../base/result.ts';
import type { Size } from '../../../platforms/azure/catalog/size.ts';
import type { ProviderContext } from '../../context.ts';
import { KeptAnswer } from '../../kept-answer.ts';
import type { AzureCatalog } from './aks.ts';
import { toInstanceTypes } from './instance-types.ts';

export interface ArcCatalogOptions {
  context: Pick<ProviderContext, 'state' | 'clock' | 'log'>;
  place: string;
  /** The resource id of the custom location. */
  customLocation: string;
  /** The body of `…/skus/default` below the custom location. */
  skus(signal: AbortSignal): Promise<Result<Json>>;
}

const profileSchema = z.object({ properties: z.object({ values: z.array(z.unknown()) }) });

const skuSchema = z.object({
  name: z.string().min(1),
  capabilities: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
});

/** Sizes on one's own machines change when somebody changes them; half a day would be long. */
const freshSeconds = 3600;

export function arcCatalog({ context, place, customLocation, skus }: ArcCatalogOptions): AzureCatalog {
  const kept = new KeptAnswer<Size[]>(context, {
    cloud: 'Azure',
    what: 'sizes of the custom location',
    key: `azure/arc-sizes${customLocation.startsWith('/') ? '' : '/'}${customLocation.toLowerCase()}`.slice(0, 480),
    freshSeconds,
    read: async (signal) => {
      const answer = await skus(signal);
      if (!answer.ok) return answer;
      const profile = profileSchema.safeParse(answer.value);
      const sizes = profile.success ? profile.data.properties.values.flatMap((value) => sizeOf(value) ?? []) : [];
      if (sizes.length > 0) return ok(sizes);
      return failed(
        'not-ready',
        `the custom location ${customLocation} lists no sizes (skus/default); check that AKS on Azure Arc is set up there`,
      );
    },
  });
  return {
    place,
    async instanceTypes(nodeClass, signal) {
      const sizes = await kept.get(signal);
      if (!sizes.ok) return sizes;
      return ok(toInstanceTypes({ sizes: sizes.value.value, place, location: '', nodeClass: nodeClass.spec }));
    },
    checkQuota: async () => ok(undefined),
    size: (name) => kept.known?.value.find((size) => size.name === name),
    close: () => kept.close(),
  };
}

/** The names of capabilities differ between releases in case, and in whether they are plural. */
function sizeOf(value: unknown): Size | undefined {
  const sku = skuSchema.safeParse(value);
  if (!sku.success) return undefined;
  const capabilities = new Map(sku.data.capabilities?.map((one) => [one.name.toLowerCase(), one.value]));
  const number = (...names: string[]): number => {
    const found = names.map((name) => Number(capabilities.get(name) ?? Number.NaN)).find((one) => one > 0);
    return found ?? 0;
  };
  const cpu = number('vcpu', 'vcpus', 'cpus');
  const memoryMiB = Math.floor(number('memorymb') || number('memorygb') * 1024);
  if (cpu === 0 || memoryMiB === 0) return undefined;
  const diskGiB = number('disksizegb', 'osdisksizegb');
  const gpus = number('gpucount', 'gpus');
  const gpuName = capabilities.get('gpunametype') ?? capabilities.get('gpuname');
  return {
    name: sku.data.name,
    family: '',
    cpu,
    quotaCores: cpu,
    memoryMiB,
    gpus,
    arch: 'amd64',
    zones: [],
    spot: false,
    ...(diskGiB === 0 ? {} : { diskGiB }),
    ...(gpus === 0 || !gpuName ? {} : { gpuName }),
  };
}
