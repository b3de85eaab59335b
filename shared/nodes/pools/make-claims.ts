/** Makes the claims that a pool lacks. */

import { inParallel } from '../../base/in-parallel.ts';
import type { Failure } from '../../base/result.ts';
import { type ClusterApi, nodeClaims } from '../../kube/contract.ts';
import type { StoredPool } from '../disruption/types.ts';
import type { StoredClaim } from '../steps/claim-access.ts';
import { shapeClaim } from '../steps/claim-shape.ts';
import type { ClusterServices } from '../steps/services.ts';
import { freshNames, missingNames, type Numbers } from './names.ts';
import { isOwnedBy } from './observe.ts';
import { claimFrom } from './template.ts';

export interface Making {
  wanted: readonly { replaces?: string }[];
  hash: string;
  nodeClassHash: string | undefined;
  /** As they were before the list was read. */
  numbers: Numbers;
  /** Names that are in use, as far as the list showed. */
  isTaken(name: string): boolean;
  /** Whether our time is over. */
  stop(): boolean;
}

export interface MadeClaims {
  count: number;
  /** What to go on with: numbers that may not have been used yet are tried again. */
  numbers: Numbers;
  failure?: Failure;
}

const width = 16;
/** Whoever else has a name of ours by chance; more than this is no chance. */
const maxStrangers = 8;

/**
 * Each claim has a name that the pool has never used. A name that is taken after all was taken since the list was made: by another
 * run of this same pool, which is as good as made, or by a stranger, whose number is left out.
 */
export async function makeClaims(
  { api }: ClusterServices,
  pool: StoredPool,
  making: Making,
  signal: AbortSignal,
): Promise<MadeClaims> {
  const { hash, nodeClassHash } = making;
  const strangers = new Set<string>();
  const made: MadeClaims = { count: 0, numbers: making.numbers };
  if (await isBehind(api, pool, making, signal)) return made;
  const unsure = new Set<number>();
  let next = making.numbers.next;
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
    const names = freshNames(pool.metadata, wanted.length, next, making.isTaken);
    const again: { replaces?: string }[] = [];
    const jobs = names.map((one, index) => ({ ...wanted[index], ...one }));
    for (const { number } of names) unsure.add(number);
    await inParallel(
      jobs,
      width,
      async ({ name, number, replaces }) => {
        const outcome = await create(name, replaces);
        if (typeof outcome === 'string') unsure.delete(number);
        if (outcome === 'made') made.count++;
        else if (outcome === 'stranger') {
          strangers.add(name);
          again.push(replaces === undefined ? {} : { replaces });
        } else made.failure ??= outcome;
      },
      () => making.stop() || made.failure !== undefined,
    );
    // The others stand under their names now; only those that met a stranger need another one.
    next = Math.max(next, ...names.map(({ number }) => number + 1));
    wanted = again;
  }
  // A create without an answer may still come to pass: whoever repeats it has to meet it.
  made.numbers = { from: making.numbers.next, next: Math.min(next, ...unsure) };
  return made;
}

/** A list from before the last batch shows none of its claims, and would have them made a second time under other names. */
async function isBehind(api: ClusterApi, pool: StoredPool, making: Making, signal: AbortSignal): Promise<boolean> {
  let behind = false;
  await inParallel(
    missingNames(pool.metadata, making.numbers, making.isTaken),
    width,
    async (name) => {
      const there = await api.get<StoredClaim>(nodeClaims, { name }, signal);
      // Without an answer nobody knows, and the next look asks again.
      behind ||= there.ok ? isOwnedBy(shapeClaim(there.value), pool) : there.error.kind !== 'not-found';
    },
    () => behind || making.stop(),
  );
  return behind;
}
