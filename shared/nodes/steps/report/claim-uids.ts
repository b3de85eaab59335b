/**
 * Which claim had a name: people know the names of claims that are gone, and decisions are kept by uid. Kept as long as the decisions.
 */
import type { State } from '../../../state/contract.ts';
import type { ClaimRef } from '../services.ts';

const keyOf = ({ cluster, name }: Pick<ClaimRef, 'cluster' | 'name'>): string => `claim-uid/${cluster}/${name}`;

/** The newest of the name wins. Losing it costs an explanation, so it need not be on the disk at once. */
export const rememberUid = async (state: State, ref: ClaimRef, ttlSeconds: number): Promise<void> =>
  void (await state.put(keyOf(ref), { uid: ref.uid }, { ttlSeconds, soon: true }));

/** Of the last claim of this name about which something was decided. */
export async function rememberedUid(
  state: State,
  ref: Pick<ClaimRef, 'cluster' | 'name'>,
): Promise<string | undefined> {
  return (await state.get<{ uid: string }>(keyOf(ref)))?.value.uid;
}
