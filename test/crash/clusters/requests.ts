/** The requests of a run: every way to get nodes, with and without GitOps, and changes that a live cluster can follow. */
import type { Json } from '../../../shared/base/json.ts';
import type { Random } from '../../../shared/base/runtime.ts';

type Fields = { [field: string]: Json };

const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

const types = ['standard', 'memory-optimized', 'compute-optimized'] as const;

export function requestSpec(random: Random): Fields {
  const nodes = pick(random, ['nap', 'nap', 'agentPools', 'poolwright'] as const);
  const gitOps = {
    url: 'https://git.example/fleet',
    public: true,
    mode: pick(random, ['extension', 'remote'] as const),
  };
  return {
    location: 'westeurope',
    kubernetesVersion: '1.34',
    nodes,
    // The stand-in for agent pools has sizes of the standard type only.
    nodePool: { type: nodes === 'poolwright' ? 'standard' : pick(random, types) },
    ...(random() < 0.4 ? { gitOps } : {}),
    ...(random() < 0.3 ? { identity: { type: 'SystemAssigned' } } : {}),
    ...(random() < 0.3 ? { identity: { federatedCredentials: [{ name: 'app', serviceAccount: 'shop/app' }] } } : {}),
    ...(random() < 0.3 ? { addOns: { azurePolicy: true } } : {}),
  };
}

/** A merge patch of the spec. */
export const requestChange = (random: Random): Fields =>
  pick<Fields>(random, [
    { kubernetesVersion: '1.35' },
    { addOns: { azurePolicy: true, keyVaultSecretsProvider: { rotation: true } } },
    { tags: { cost: 'team' } },
    // Its mode stays: what one way has set up, the other would not take away.
    { gitOps: { url: 'https://git.example/other', public: true } },
  ]);
