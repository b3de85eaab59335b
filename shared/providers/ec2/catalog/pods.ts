/** How many pods a node has room for: each needs an address, and addresses hang on network interfaces. */
import type { AmiFamily } from '../node-class/schema.ts';
import type { KubeletSettings } from '../node-class/schema-kubelet.ts';
import type { TypeFacts } from './type-facts.ts';

/** What a kubelet takes when nobody says otherwise. */
const usualMaxPods = 110;

export interface PodsInput {
  family: AmiFamily;
  kubelet: KubeletSettings;
  /** Interfaces that are kept for something else (custom networking). */
  reservedENIs: number;
}

type Interfaces = Pick<TypeFacts, 'interfaces' | 'addresses'>;

/** The first address of each interface is its own; two pods live on the host's network. */
export function podsByInterfaces({ interfaces, addresses }: Interfaces, reservedENIs: number): number {
  const usable = Math.max(interfaces - reservedENIs, 0);
  return usable === 0 ? 0 : usable * (addresses - 1) + 2;
}

export function maxPodsOf(
  type: Interfaces & Pick<TypeFacts, 'cpu'>,
  { family, kubelet, reservedENIs }: PodsInput,
): number {
  const byAddresses = family.startsWith('Windows') ? usualMaxPods : podsByInterfaces(type, reservedENIs);
  const most = kubelet.maxPods ?? byAddresses;
  return kubelet.podsPerCore ? Math.min(most, kubelet.podsPerCore * type.cpu) : most;
}

/**
 * What user data has to say about it. The images of EKS count interfaces themselves, so mostly nothing: then machines of
 * all types share one template. Undefined also where the class's own setting is told as it stands.
 */
export function podsToTell(type: Interfaces & Pick<TypeFacts, 'cpu'>, input: PodsInput): number | undefined {
  const { family, kubelet, reservedENIs } = input;
  if (family === 'Custom' || family.startsWith('Windows')) return undefined;
  // Bottlerocket has no such setting.
  if (kubelet.podsPerCore && family === 'Bottlerocket') return maxPodsOf(type, input);
  return reservedENIs > 0 && kubelet.maxPods === undefined ? podsByInterfaces(type, reservedENIs) : undefined;
}
