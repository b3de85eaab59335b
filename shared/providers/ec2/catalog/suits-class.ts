/** Whether EC2 can launch a type with what a class asks of the instance itself. A launch would fail otherwise, for each claim anew. */
import type { Ec2NodeClassSpec } from '../node-class/schema.ts';
import { efaOnlyCount } from '../node-class/schema-network.ts';
import type { TypeFacts } from './type-facts.ts';

type Asked = Pick<Ec2NodeClassSpec, 'networkInterfaces' | 'connectionTracking' | 'cpuOptions'>;
type Facts = Pick<TypeFacts, 'hypervisor' | 'nestedVirtualization' | 'cards' | 'ena' | 'efaInterfaces'>;

export const suitsClass = (type: Facts, spec: Asked): boolean =>
  hasInterfaces(type, spec) &&
  // Only Nitro knows these timeouts; EC2 names no hypervisor for bare metal.
  (spec.connectionTracking === undefined || type.hypervisor === 'nitro') &&
  (spec.cpuOptions?.nestedVirtualization !== 'enabled' || type.nestedVirtualization === true);

function hasInterfaces({ cards = [], ena, efaInterfaces = 0 }: Facts, { networkInterfaces }: Asked): boolean {
  if (networkInterfaces === undefined || networkInterfaces.length === 0) return true;
  return (
    ena !== false &&
    networkInterfaces.every(({ networkCardIndex, deviceIndex }) => deviceIndex < (cards[networkCardIndex] ?? 0)) &&
    efaOnlyCount(networkInterfaces) <= efaInterfaces
  );
}
