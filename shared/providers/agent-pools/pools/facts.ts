/** What is known of agent pools without asking Azure, and without the code that asks: whom they serve, and how long things take. */
import type { ProviderTraits } from '../../contract.ts';
import type { ProviderFacts } from '../../wrap.ts';
import type { PoolShape } from './kind.ts';
import { notOfKaito, poolClaims } from './serves.ts';

/** What a configuration may change. */
export interface PoolSettings {
  /** So many creates and deletes at once in the cluster. */
  operationsAtOnce: number;
  /** Claims of every AKSNodeClass are ours, labeled or not. */
  unlabelledAksNodeClasses: boolean;
  /** A cluster that Azure does not know has no pools. */
  clusterMayBeAbsent?: boolean;
  writeSeconds?: number;
  latenessSeconds?: number;
  listLagSeconds?: number;
}

export type PoolFacts = Required<ProviderFacts>;

const poolTraits = {
  idempotency: 'claim-name',
  writeSeconds: 30,
  // ARM gives a request a minute before it answers for it.
  latenessSeconds: 60,
  listLagSeconds: 5,
  deadlines: { launchSeconds: 1800, registrationSeconds: 900, initializationSeconds: 1800 },
  madeToMeasure: ['storage'],
  // A pool counts as created once its Node is there.
  joinsSoon: true,
} as const satisfies Partial<ProviderTraits>;

export const poolFacts = (shape: PoolShape, options: PoolSettings): PoolFacts => ({
  name: shape.name,
  nodeClasses: shape.nodeClasses,
  traits: {
    ...poolTraits,
    names: shape.names,
    abilities: shape.abilities,
    operationsAtOnce: options.operationsAtOnce,
    writeSeconds: options.writeSeconds ?? poolTraits.writeSeconds,
    latenessSeconds: options.latenessSeconds ?? poolTraits.latenessSeconds,
    listLagSeconds: options.listLagSeconds ?? poolTraits.listLagSeconds,
  },
  serves: poolClaims(options.unlabelledAksNodeClasses),
  // As with gpu-provisioner, KAITO's claims live until they are deleted: nothing would make them again.
  expires: notOfKaito,
  instanceIds: shape.instanceIds,
});
