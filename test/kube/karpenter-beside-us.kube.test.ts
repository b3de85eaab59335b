/** Karpenter itself in the same cluster: no rival while it has node classes of its own, and known by what it writes. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { nodeClaims } from '../../shared/kube/contract.ts';
import { rivalOn } from '../../shared/ownership/rivals.ts';
import { manifestsFrom } from './cluster.ts';
import { type GuardedProcess, startGuarded } from './guarded-process.ts';
import { isTrue, startHostWorld } from './host-world.ts';
import { useOwnKube } from './own-kube.ts';
import { getPart, moduleDirectory } from './parts.ts';

const kube = useOwnKube();
const definitions = [
  'pkg/apis/crds/karpenter.sh_nodeoverlays.yaml',
  'pkg/apis/crds/autoscaling.x-k8s.io_capacitybuffers.yaml',
  'kwok/apis/crds/karpenter.kwok.sh_kwoknodeclasses.yaml',
];
const nodeClassRef = { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' };

let karpenter: GuardedProcess | undefined;
const directory = mkdtempSync(join(tmpdir(), 'poolwright-karpenter-'));
beforeAll(async () => {
  if (inject('kubeIsNamed')) return;
  const module = await moduleDirectory('karpenter-kwok');
  await kube().apply(...definitions.flatMap((file) => manifestsFrom(readFileSync(join(module, file), 'utf8'))));
  await kube().apply({ ...ofKwok, kind: 'KWOKNodeClass', metadata: { name: 'default' }, spec: {} });
  karpenter = await startGuarded(await getPart('karpenter-kwok'), [], {
    logFile: join(directory, 'karpenter.log'),
    env: {
      KUBECONFIG: kube().kubeconfig,
      DISABLE_LEADER_ELECTION: 'true',
      SYSTEM_NAMESPACE: 'kube-system',
      KUBERNETES_MIN_VERSION: '1.19.0-0',
    },
  });
});
afterAll(async () => {
  await karpenter?.stop();
  rmSync(directory, { recursive: true, force: true });
});

const ofKwok = { apiVersion: 'karpenter.kwok.sh/v1alpha1' };

it.skipIf(inject('kubeIsNamed'))(
  'is no rival where it serves other node classes, and is seen where it serves a claim',
  async () => {
    const world = await startHostWorld(kube(), { leaseSeconds: 10 });
    await world.startHost();
    await world.createClaim('ours');
    await world.createClaim('theirs', {
      nodeClassRef,
      requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['c-4x-amd64-linux'] }],
    });
    await world.until(async () => isTrue(await world.claim('ours'), 'Ready'));
    await world.until(async () => (await world.claim('theirs'))?.status?.conditions !== undefined);
    const [ours, theirs] = [await world.claim('ours'), await world.claim('theirs')];
    expect(theirs && rivalOn(theirs, Date.now())).toBe('karpenter');
    expect(ours && rivalOn(ours, Date.now())).toBeUndefined();
    expect(world.log.lines.filter(({ event }) => event === 'owner.read-only')).toEqual([]);
    expect(world.cloud.living).toBe(1);
    await world.api.delete(nodeClaims, { name: 'ours' }, {});
    await world.until(async () => (await world.claim('ours')) === undefined);
    expect(world.cloud.living).toBe(0);
  },
);
