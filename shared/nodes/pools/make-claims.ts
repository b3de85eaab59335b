/** Makes the claims that a pool lacks. */
import type { Failure } from '../../base/result.ts';
import { nodeClaims } from '../../kube/contract.ts';
import type { StoredPool } from '../disruption/types.ts';
import type { StoredClaim } from '../steps/claim-access.ts';
import { shapeClaim } from '../steps/claim-shape.ts';
import type { ClusterServices } from '../steps/services.ts';
import { inParallel } from './in-parallel.ts';
import { freeNames } from './names.ts';
import { isOwnedBy } from './observe.ts';
import { claimFrom } from './template.ts';

export interface Making {
  wanted: readonly { replaces?: string }[];
  hash: string;
  nodeClassHash: string | undefined;
  /** Names that are in use, as far as the list showed. */
  isTaken(name: string): boolean;
  /** Whether our time is over. */
  stop(): boolean;
}

export interface MadeClaims {
  count: number;
  failure?: Failure;
}

const width = 16;
/** Whoever else has a name of ours by chance; more than this is no chance. */
const maxStrangers = 8;

/**
 * Each claim has the name of a free slot. A name that is taken after all was taken since the list was made: by another run of
 * this same pool, which is as good as made, or by a stranger, whose slot is left out.
 */
export async function makeClaims(
  { api }: ClusterServices,
  pool: StoredPool,
  making: Making,
  signal: AbortSignal,
): Promise<MadeClaims> {
  const { hash, nodeClassHash } = making;
  const strangers = new Set<string>();
  const made: MadeClaims = { count: 0 };
  const create = async (name: string, replaces: string | undefined): Promise<'made' | 'stranger' | Failure> => {
    const created = await api.create(nodeClaims, claimFrom(pool, { name, replaces, hash, nodeClassHash }), signal);
    if (created.ok) return 'made';
    if (created.error.kind !== 'conflict') return created.error;
    const there = await api.get<StoredClaim>(nodeClaims, { name }, signal);
    if (!there.ok) return there.error.kind === 'not-found' ? 'made' : there.error;
    return isOwnedBy(shapeClaim(there.value), pool) ? 'made' : 'stranger';
  };

  let wanted = making.wanted;
  while (wanted.length > 0 && made.failure === undefined && !making.stop() && strangers.size <= maxStrangers) {
    const names = freeNames(pool.metadata, wanted.length, (name) => strangers.has(name) || making.isTaken(name));
    const again: { replaces?: string }[] = [];
    const jobs = wanted.map((one, index) => ({ ...one, name: names[index] ?? '' }));
    await inParallel(
      jobs,
      width,
      async ({ name, replaces }) => {
        const outcome = await create(name, replaces);
        if (outcome === 'made') made.count++;
        else if (outcome === 'stranger') {
          strangers.add(name);
          again.push(replaces === undefined ? {} : { replaces });
        } else made.failure ??= outcome;
      },
      () => making.stop() || made.failure !== undefined,
    );
    // The others stand under their names now; only those that met a stranger need another one.
    const done = new Set(names);
    const before = making.isTaken;
    making = { ...making, isTaken: (name) => done.has(name) || before(name) };
    wanted = again;
  }
  return made;
}
