/** What a neighbor notices of an attack: how long its claim takes, and how long the host takes to say that it lives. */
import { setTimeout as pause } from 'node:timers/promises';
import type { World } from '../../sim/scenes/sim.ts';
import type { Host } from './stage.ts';

const claimsPath = '/apis/karpenter.sh/v1/nodeclaims';
const nodeClass = {
  apiVersion: 'poolwright.dev/v1alpha1',
  kind: 'SimNodeClass',
  metadata: { name: 'default' },
  spec: {},
};

export interface AttackClaim {
  metadata: { name: string; uid: string; deletionTimestamp?: string };
  status?: { providerID?: string; nodeName?: string; conditions?: { type: string; status: string }[] };
}

export const claim = (name: string, spec: object = {}) => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: { name },
  spec: {
    nodeClassRef: { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' },
    requirements: [],
    resources: { requests: { cpu: '1' } },
    ...spec,
  },
});

export async function send(base: string, path: string, body: unknown, more: RequestInit = {}): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...more.headers };
  return fetch(`${base}${path}`, { method: 'POST', body: JSON.stringify(body), ...more, headers });
}

export async function claimsOf({ cluster }: World): Promise<AttackClaim[]> {
  const answer = await fetch(`${cluster.url}${claimsPath}`);
  return ((await answer.json()) as { items: AttackClaim[] }).items;
}

const isReady = ({ status }: AttackClaim): boolean =>
  status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false;

/** Seconds from the creation of a claim until it is Ready; it is deleted then. */
export async function secondsToReady({ cluster }: World, name: string, patienceSeconds = 60): Promise<number> {
  await send(cluster.url, '/apis/poolwright.dev/v1alpha1/simnodeclasses', nodeClass);
  const began = performance.now();
  const made = await send(cluster.url, claimsPath, claim(name));
  if (!made.ok) throw new Error(`the claim of the neighbor was refused: ${await made.text()}`);
  const seconds = (): number => (performance.now() - began) / 1000;
  for (;;) {
    const answer = await fetch(`${cluster.url}${claimsPath}/${name}`);
    if (isReady((await answer.json()) as AttackClaim)) return seconds();
    if (seconds() > patienceSeconds) return Number.POSITIVE_INFINITY;
    await pause(20);
  }
}

export async function readyClaims(world: World, names: readonly string[]): Promise<AttackClaim[]> {
  await send(world.cluster.url, '/apis/poolwright.dev/v1alpha1/simnodeclasses', nodeClass);
  for (const name of names) await send(world.cluster.url, claimsPath, claim(name));
  for (let looks = 0; looks < 600; looks++) {
    const claims = await claimsOf(world);
    if (claims.length >= names.length && claims.every(isReady)) return claims;
    await pause(50);
  }
  throw new Error('the claims did not become Ready');
}

/** Asks for the health of the host again and again; the longest it took, in seconds. */
export function watchHealth({ url }: Host): () => Promise<number> {
  let longest = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const began = performance.now();
      await fetch(`${url}/healthz`).catch(() => undefined);
      longest = Math.max(longest, (performance.now() - began) / 1000);
      await pause(50);
    }
  })();
  return async () => {
    isOver = true;
    await watching;
    return longest;
  };
}
