/** The name of this deployment on Leases: it has to be the same in all its processes, and after every restart. */
import type { Ids } from '../base/runtime.ts';
import type { State } from '../state/contract.ts';
import type { Holder } from './lease.ts';

const key = 'deployment/id';

/** Made once and kept in the state. Who loses the state is somebody new, and waits until the Lease has expired. */
export async function holderOf(deployment: string, state: State, ids: Ids): Promise<Holder> {
  const known = await state.get<string>(key);
  if (known) return { deployment, id: known.value };
  await state.put(key, ids.next(), { ifVersion: null });
  // Another process may have been first.
  const kept = await state.get<string>(key);
  if (!kept) throw new Error(`the state did not keep ${key}`);
  return { deployment, id: kept.value };
}
