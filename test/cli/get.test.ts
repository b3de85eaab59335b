/** `get` on a simulated cluster: every table and format, what is not there, and what a cluster refuses. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { customResourceDefinitions } from '../../shared/kube/contract.ts';
import { kubeconfigFor } from '../../sim/cluster/server.ts';
import { type ClusterWorld, clusterWorld, condition, present, readyClaim } from './cluster-world.ts';
import { poolwright } from './collect.ts';

let world: ClusterWorld;

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: present });
  world = await clusterWorld();
  await world.claim('ready', readyClaim('ready'));
  await world.claim('unpriced', { ...readyClaim('unpriced'), annotations: {} });
  await world.claim('new');
  await world.claim('sold-out', {
    status: {
      conditions: [
        condition('Launched', 'False', 'InsufficientCapacity', 'every offering that fits is sold out \u001b[2J'),
        condition('Ready', 'False', 'UnhealthyDependents', 'Launched=False'),
      ],
    },
  });
  await world.claim('booting', {
    ...readyClaim('booting'),
    status: {
      providerID: 'sim:///zone-a/i-booting',
      conditions: [
        condition('Launched', 'True'),
        condition('Registered', 'Unknown', 'NodeNotFound', 'no node has joined with sim:///zone-a/i-booting'),
      ],
    },
  });
  await world.claim('creating', {
    attempt: {
      attempt: 2,
      provider: 'ec2',
      state: 'open',
      offering: { instanceType: 'm7i.large', zone: 'eu-1a', capacityType: 'on-demand' },
    },
  });
  const owner = (name: string) => ({
    ownerReferences: [{ apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name, uid: `uid-${name}` }],
  });
  await world.node('i-ready', { metadata: { ...owner('ready'), labels: { 'karpenter.sh/nodepool': 'workers' } } });
  await world.node('i-unpriced', { metadata: owner('unpriced'), spec: { unschedulable: true } });
  await world.node('of-somebody-else', {
    ready: { status: 'False', reason: 'KubeletNotReady', message: 'no network' },
  });
});
afterAll(async () => {
  vi.useRealTimers();
  await world.close();
});

describe.each(['claims', 'nodes'])('get %s', (kind) => {
  test.each(['table', 'wide', 'json', 'yaml', 'name'])('as %s', async (format) => {
    const { code, out, err } = await world.run('get', kind, '-o', format);

    expect({ code, err }).toEqual({ code: 0, err: '' });
    await expect(out).toMatchFileSnapshot(`__snapshots__/get/${kind}-${format}.txt`);
  });
});

describe('what is asked for', () => {
  test('is what was named, in that order', async () => {
    const { code, out } = await world.run('get', 'claims', 'unpriced', 'ready', '-o', 'name');

    expect({ code, out }).toEqual({ code: 0, out: 'nodeclaim.karpenter.sh/unpriced\nnodeclaim.karpenter.sh/ready\n' });
  });

  test('may be written with its kind, and by any name of the kind', async () => {
    const { out } = await world.run('get', 'nodeclaim/ready', 'claim/new', '-o', 'name');

    expect(out).toBe('nodeclaim.karpenter.sh/ready\nnodeclaim.karpenter.sh/new\n');
  });

  test('is of one kind', async () => {
    const { code, err } = await world.run('get', 'claim/ready', 'node/i-ready');

    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('one kind at a time') });
  });

  test('fails where it is not there, after what is, and says what was meant', async () => {
    const { code, out, err } = await world.run('get', 'claims', 'redy', 'new', '-o', 'name');

    expect({ code, out }).toEqual({ code: 1, out: 'nodeclaim.karpenter.sh/new\n' });
    expect(err).toBe('There is no NodeClaim "redy"; did you mean "ready"?\nMore: poolwright errors UnknownClaim\n');
  });

  test.each([
    ['by a label', 'karpenter.sh/nodepool=workers', ['booting', 'ready', 'unpriced']],
    ['by the lack of one', '!karpenter.sh/nodepool', ['creating', 'new', 'sold-out']],
    ['by a set', 'karpenter.sh/nodepool in (workers,other)', ['booting', 'ready', 'unpriced']],
  ])('is selected %s', async (_, selector, expected) => {
    const { out } = await world.run('get', 'claims', '-l', selector, '-o', 'name');

    expect(out).toBe(expected.map((name) => `nodeclaim.karpenter.sh/${name}\n`).join(''));
  });

  test('by a label that nothing has is nothing, and the nearest label is named', async () => {
    const { code, out, err } = await world.run('get', 'claims', '-l', 'karpenter.sh/nodepol=workers');

    expect({ code, out }).toEqual({ code: 0, out: '' });
    expect(err).toBe(
      'No claims. No NodeClaim has the label karpenter.sh/nodepol; did you mean "karpenter.sh/nodepool"?\n',
    );
  });

  test('by names and labels at once is not understood', async () => {
    expect(await world.run('get', 'claims', 'a', '-l', 'a=b')).toMatchObject({ code: 2, out: '' });
  });

  test('by a selector that is none is refused with the words of the server', async () => {
    const { code, err } = await world.run('get', 'claims', '-l', 'a=(');

    expect(code).toBe(2);
    expect(err).toContain('The cluster rejected the query');
  });

  test('of one provider alone', async () => {
    const { out } = await world.run('get', 'claims', '--provider', 'ec2', '-o', 'name');

    expect(out).toBe('nodeclaim.karpenter.sh/creating\n');
  });

  test('takes the flags for namespaces, which claims do not have', async () => {
    expect(await world.run('get', 'claims', 'new', '-A', '-o', 'name')).toMatchObject({
      out: 'nodeclaim.karpenter.sh/new\n',
    });
    expect(await world.run('get', 'claims', 'new', '-n', 'web', '-o', 'name')).toMatchObject({
      out: 'nodeclaim.karpenter.sh/new\n',
    });
  });

  test('must be a kind; a misspelled one is told what is near', async () => {
    const { code, err } = await world.run('get', 'clams');

    expect(code).toBe(2);
    expect(err).toContain('did you mean "claims"?');
  });
});

describe('a cluster that', () => {
  let directory = '';
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'poolwright-get-'));
    return () => rmSync(directory, { recursive: true, force: true });
  });
  const getFrom = (url: string) => {
    const file = join(directory, 'kubeconfig');
    writeFileSync(file, kubeconfigFor(url));
    return poolwright('get', 'claims', '--kubeconfig', file);
  };

  /** Answers everything like this. */
  async function refusing(status: number, reason: string, message: string): Promise<string> {
    const server = createServer((_, response) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message, code: status }),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  test('does not know claims is told how to learn them', async () => {
    const bare = await clusterWorld();
    onTestFinished(() => bare.close());
    await bare.api.delete(customResourceDefinitions, { name: 'nodeclaims.karpenter.sh' }, {});

    const { code, out, err } = await bare.run('get', 'claims');

    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('does not have the CRDs for nodeclaims.karpenter.sh');
    expect(err).toContain('poolwright crds install');
    expect(err).toContain('poolwright errors ClusterNotUsable');
  });

  test('can not be reached is named with the file that leads to it', async () => {
    const { code, err } = await getFrom('http://127.0.0.1:1');

    expect(code).toBe(1);
    expect(err).toContain(`${directory}/kubeconfig is unreachable`);
    expect(err).toContain('poolwright errors ClusterUnavailable');
  });

  test('forbids it says which right is missing', async () => {
    const message = 'nodeclaims.karpenter.sh is forbidden: User "eve" cannot list resource "nodeclaims"';
    const { code, err } = await getFrom(await refusing(403, 'Forbidden', message));

    expect(code).toBe(1);
    expect(err).toContain(message);
    expect(err).toContain('Ask for permission to list and watch nodeclaims.karpenter.sh');
    expect(err).toContain('poolwright errors NotAllowed');
  });

  test('does not know who asks says so', async () => {
    const { code, err } = await getFrom(await refusing(401, 'Unauthorized', 'Unauthorized'));

    expect(code).toBe(1);
    expect(err).toContain('rejected your credentials');
    expect(err).toContain('poolwright errors NoClusterAccess');
  });

  test('has no claims says so to people, and nothing to scripts', async () => {
    const empty = await clusterWorld();
    onTestFinished(() => empty.close());

    expect(await empty.run('get', 'claims')).toEqual({ code: 0, out: '', err: 'No claims.\n' });
    expect(await empty.run('get', 'claims', '-o', 'name')).toEqual({ code: 0, out: '', err: '' });
    expect(await empty.run('get', 'claims', '-o', 'json')).toMatchObject({ out: '{\n  "items": []\n}\n' });
  });
});
