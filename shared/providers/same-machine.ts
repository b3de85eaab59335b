/**
 * Telling machines apart by their providerIDs. A pool's is a stand-in until its Node is there, and another one after its VM
 * was replaced: two providerIDs are of one machine if a provider reads the same id out of both.
 */
import type { Provider } from './contract.ts';
import { instanceIdOf } from './instance-id.ts';

type Machines = { readonly providers: readonly Pick<Provider, 'name' | 'instanceIds'>[] };

export function isSameMachine({ providers }: Machines, one: string | undefined, other: string | undefined): boolean {
  if (one === other) return true;
  if (!one || !other) return false;
  return providers.some((provider) => {
    const id = instanceIdOf(provider, one);
    return id !== undefined && id === instanceIdOf(provider, other);
  });
}

/** One text per machine, whatever its providerID is at the moment. */
export function machineKey({ providers }: Machines, providerID: string): string {
  for (const provider of providers) {
    const id = instanceIdOf(provider, providerID);
    if (id !== undefined) return `${provider.name}/${id}`;
  }
  return providerID;
}
