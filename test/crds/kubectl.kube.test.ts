/** What people see of our kinds: columns, scale, and the words of a refusal. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { freshName, useKube } from '../kube/use-kube.ts';
import { claimCorpus } from './claim-cases.ts';
import { poolCorpus } from './pool-cases.ts';

const kube = useKube();

const aPool = (name: string, spec = {}) => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name },
  spec: { ...poolCorpus.minimal, ...spec },
});

describe('the scale of a NodePool', () => {
  const scaleOf = (name: string): string => `/apis/karpenter.sh/v1/nodepools/${name}/scale`;

  it('shows replicas and nodes, and changes the replicas', async () => {
    const name = freshName('scaled');
    await kube.apply(aPool(name, { replicas: 2 }));
    const status = { status: { nodes: 1 } };
    await kube.request(
      'PATCH',
      `/apis/karpenter.sh/v1/nodepools/${name}/status`,
      status,
      'application/merge-patch+json',
    );

    const { body: before } = await kube.request('GET', scaleOf(name));
    const patch = { spec: { replicas: 5 } };
    const changed = await kube.request('PATCH', scaleOf(name), patch, 'application/merge-patch+json');
    const { body: pool } = await kube.request('GET', `/apis/karpenter.sh/v1/nodepools/${name}`);

    expect([before.spec.replicas, before.status.replicas]).toEqual([2, 1]);
    expect(changed.code).toBe(200);
    expect(pool.spec.replicas).toBe(5);
  });

  it('can not turn a pool without replicas into one with them', async () => {
    const name = freshName('unscaled');
    await kube.apply(aPool(name));

    const patch = { spec: { replicas: 5 } };
    const { code, body } = await kube.request('PATCH', scaleOf(name), patch, 'application/merge-patch+json');

    expect(code).toBe(422);
    expect(body.message).toContain('create a new NodePool instead');
  });
});

const hasKubectl = spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' }).status === 0;

describe.skipIf(!hasKubectl)('kubectl (skipped where it is not on the PATH)', () => {
  const heads = (...args: string[]): string[] => {
    const run = spawnSync('kubectl', ['--kubeconfig', kube.kubeconfig, ...args], { encoding: 'utf8' });
    if (run.status !== 0) throw new Error(run.stderr);
    return run.stdout.split('\n')[0]!.trim().split(/\s+/);
  };

  it('shows the columns that matter first, and more with -o wide', async () => {
    const name = freshName('shown');
    const apiVersion = 'karpenter.sh/v1';
    await kube.apply({ apiVersion, kind: 'NodeClaim', metadata: { name }, spec: claimCorpus.minimal });

    const plain = ['NAME', 'READY', 'TYPE', 'ZONE', 'CAPACITY', 'NODE', 'AGE'];
    expect(heads('get', 'nodeclaim', name)).toEqual(plain);
    expect(heads('get', 'nodeclaim', name, '-o', 'wide')).toEqual([
      ...plain,
      ...['REASON', 'ID', 'NODEPOOL', 'NODECLASS', 'IMAGEID', 'DRIFTED'],
    ]);
  });

  it('explains the fields', () => {
    const run = spawnSync('kubectl', ['--kubeconfig', kube.kubeconfig, 'explain', 'nodepool.spec.replicas'], {
      encoding: 'utf8',
    });

    expect(run.stdout).toContain('A fixed number of nodes');
  });
});
