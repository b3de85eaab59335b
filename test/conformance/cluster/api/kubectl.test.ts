/** The simulated cluster through the eyes of kubectl. Where there is no kubectl, these tests are skipped. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ClusterApi, kubeconfigFor, startClusterApi } from '../../../../sim/cluster/server.ts';
import { aClaim, aNode, aPod } from './objects.ts';

function hasKubectl(): boolean {
  try {
    execFileSync('kubectl', ['version', '--client'], { stdio: 'ignore' });
    return true;
  } catch {
    console.warn('skipped: kubectl is not on the PATH');
    return false;
  }
}

describe.skipIf(!hasKubectl())('kubectl (skipped where it is not on the PATH)', () => {
  let api: ClusterApi;
  let folder = '';

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'poolwright-kubectl-'));
    api = await startClusterApi({ file: ':memory:', port: 0 });
    writeFileSync(join(folder, 'kubeconfig'), kubeconfigFor(api.url));
  });

  afterAll(async () => {
    await api.close();
    rmSync(folder, { recursive: true, force: true });
  });

  // Its caches of discovery go to the test's own folder as well.
  const environment = () => ({ ...process.env, KUBECONFIG: join(folder, 'kubeconfig'), HOME: folder });

  function kubectl(...args: string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      execFile('kubectl', args, { env: environment() }, (error, stdout, stderr) => {
        if (error) reject(new Error(`kubectl ${args.join(' ')}: ${stderr}`));
        else resolve(stdout + stderr);
      });
    });
  }

  function manifest(...objects: object[]): string {
    const file = join(folder, 'manifest.json');
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
    return file;
  }

  const cells = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => line.split(/\s{2,}/).map((cell) => cell.trim()));

  test('applies, from the client and from the server, and sees no change the second time', async () => {
    const file = manifest(aClaim('applied'), aNode('applied'));
    expect(await kubectl('apply', '-f', file)).toBe('nodeclaim.karpenter.sh/applied created\nnode/applied created\n');
    expect(await kubectl('apply', '-f', file)).toBe(
      'nodeclaim.karpenter.sh/applied unchanged\nnode/applied unchanged\n',
    );
    const other = manifest(aClaim('by-server'));
    expect(await kubectl('apply', '--server-side', '-f', other)).toContain('serverside-applied');
  });

  test('keeps what others wrote when an apply from the client is followed by one from the server', async () => {
    const file = manifest(aClaim('both-ways', { labels: { mine: 'yes', dropped: 'soon' } }));
    await kubectl('apply', '-f', file);
    const metadata = {
      finalizers: ['karpenter.sh/termination'],
      annotations: { 'poolwright.dev/attempt': '{}' },
      labels: { theirs: 'yes' },
    };
    await kubectl('patch', 'nodeclaim', 'both-ways', '--type', 'merge', '-p', JSON.stringify({ metadata }));
    manifest(aClaim('both-ways', { labels: { mine: 'yes' } }));
    await kubectl('apply', '--server-side', '-f', file);
    await kubectl('apply', '--server-side', '-f', file);
    const after = JSON.parse(await kubectl('get', 'nodeclaim', 'both-ways', '-o', 'json')) as { metadata: object };
    expect(after.metadata).toMatchObject(metadata);
    expect(after.metadata).toHaveProperty('labels', { mine: 'yes', theirs: 'yes' });
  });

  test('gets with useful columns', async () => {
    const labels = { 'node.kubernetes.io/instance-type': 's.small', 'karpenter.sh/capacity-type': 'spot' };
    await kubectl(
      'create',
      '-f',
      manifest(aClaim('shown', { labels: { ...labels, 'topology.kubernetes.io/zone': 'z-1' } })),
    );
    const status = {
      nodeName: 'node-1',
      conditions: [
        { type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
      ],
    };
    const patch = ['--subresource', 'status', '--type', 'merge', '-p', JSON.stringify({ status })];
    await kubectl('patch', 'nodeclaim', 'shown', ...patch);
    const [head, row] = cells(await kubectl('get', 'nodeclaims', 'shown'));
    expect(head).toEqual(['NAME', 'READY', 'TYPE', 'ZONE', 'CAPACITY', 'NODE', 'AGE']);
    expect(row?.slice(0, 6)).toEqual(['shown', 'True', 's.small', 'z-1', 'spot', 'node-1']);
    const both = await kubectl('get', 'nodeclaims,nodes', '-o', 'name');
    expect(both).toContain('nodeclaim.karpenter.sh/shown\n');
    expect(await kubectl('get', 'nodeclaim', 'shown', '-o', 'wide')).toMatch(/ID\s+NODEPOOL\s+NODECLASS\s+IMAGEID/);
    expect(await kubectl('get', 'nodeclaim', 'shown', '-o', 'yaml')).toContain('nodeName: node-1');
    expect(await kubectl('describe', 'nodeclaim', 'shown')).toMatch(/Node Name:\s+node-1/);
  });

  test('labels, annotates, taints, cordons and patches', async () => {
    await kubectl('create', '-f', manifest(aNode('changed')));
    await kubectl('label', 'node', 'changed', 'a=b');
    await kubectl('annotate', 'node', 'changed', 'c=d');
    await kubectl('taint', 'node', 'changed', 'one=1:NoSchedule');
    await kubectl('taint', 'node', 'changed', 'two=2:NoExecute');
    await kubectl('taint', 'node', 'changed', 'one-');
    await kubectl('cordon', 'changed');
    await kubectl('patch', 'node', 'changed', '--type', 'json', '-p', '[{"op":"remove","path":"/metadata/labels/a"}]');
    const node = JSON.parse(await kubectl('get', 'node', 'changed', '-o', 'json'));
    expect(node.metadata.labels).toBeUndefined();
    expect(node.metadata.annotations).toEqual({ c: 'd' });
    expect(node.spec.taints.map((taint: { key: string }) => taint.key)).toContain('two');
    expect(node.spec.taints.map((taint: { key: string }) => taint.key)).not.toContain('one');
    expect(node.spec.unschedulable).toBe(true);
    const described = await kubectl('describe', 'node', 'changed');
    expect(described).toMatch(/Unschedulable:\s+true/);
  });

  test('drains a node by eviction', async () => {
    await kubectl('create', '-f', manifest(aNode('drained'), aPod('on-drained', 'drained')));
    expect(await kubectl('drain', 'drained', '--force')).toContain('node/drained drained');
    expect(await kubectl('get', 'pods')).toContain('No resources found');
  });

  test('explains, and lists the kinds', async () => {
    const text = await kubectl('explain', 'nodeclaim.spec');
    expect(text).toMatch(/KIND:\s+NodeClaim/);
    expect(text).toMatch(/nodeClassRef\s+<Object> -required-/);
    const kinds = await kubectl('api-resources');
    expect(kinds).toMatch(/nodeclaims\s+karpenter\.sh\/v1\s+false\s+NodeClaim/);
    expect(kinds).toMatch(/simnodeclasses\s+simnc\s+poolwright\.dev\/v1alpha1\s+false\s+SimNodeClass/);
  });

  test('creates namespaces and config maps, which it sends in protobuf', async () => {
    await kubectl('create', 'namespace', 'team');
    await kubectl('create', 'configmap', 'settings', '-n', 'team', '--from-literal=a=b');
    const made = JSON.parse(await kubectl('get', 'configmap', 'settings', '-n', 'team', '-o', 'json'));
    expect(made.data).toEqual({ a: 'b' });
    expect(await kubectl('delete', 'namespace', 'team')).toContain('deleted');
  });

  test('shows a refusal with its reason', async () => {
    const claim = aClaim('refused', {}, { requirements: [{ key: 'a', operator: 'Sometimes' }] });
    await expect(kubectl('create', '-f', manifest(claim))).rejects.toThrow(
      'spec.requirements[0].operator: Unsupported value: "Sometimes"',
    );
    const typo = aClaim('refused', {}, { expireafter: '1h' });
    await expect(kubectl('create', '-f', manifest(typo))).rejects.toThrow('unknown field "spec.expireafter"');
  });

  test('watches, and waits with a delete until the last finalizer has gone', async () => {
    await kubectl('create', '-f', manifest(aClaim('held', { finalizers: ['a.b/c'] })));
    const watch = spawn('kubectl', ['get', 'nodeclaims', 'held', '-w', '--output-watch-events'], {
      env: environment(),
    });
    let seen = '';
    const until = (text: string) =>
      new Promise<void>((resolve) => {
        const look = () => void (seen.includes(text) && resolve());
        watch.stdout.on('data', (chunk: Buffer) => {
          seen += chunk.toString();
          look();
        });
        look();
      });
    await until('ADDED');
    let done = false;
    const deletion = kubectl('delete', 'nodeclaim', 'held').then(() => {
      done = true;
    });
    await until('MODIFIED');
    expect(done).toBe(false);
    await kubectl('patch', 'nodeclaim', 'held', '--type', 'merge', '-p', '{"metadata":{"finalizers":null}}');
    await Promise.all([deletion, until('DELETED')]);
    watch.kill();
  });
});
