import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { poolwright } from './collect.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'poolwright-config-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}
const inFolder = (text: string): string => text.replaceAll(folder, '<folder>');

const bad = `deployment: Office!
clusters:
  east:
    kubeconfig: ./nope.kubeconfig
    maxInstanses: 5
    providers: [sim, aws]
  west:
    server: http://127.0.0.1:1
    tokenFile: ./tok
providers:
  sim:
    type: sim
`;

test('every mistake of a configuration is told at once, with file, line and fix', async () => {
  const { code, out, err } = await poolwright('config', 'check', write('bad.yaml', bad));

  expect(code).toBe(1);
  await expect(inFolder(out)).toMatchFileSnapshot('__snapshots__/config-check-configuration.txt');
  expect(inFolder(err)).toContain(
    '6 mistakes found in <folder>/bad.yaml. Is the configuration for another machine? Pass --elsewhere',
  );
});

test('what providers need is told for each of them, with the line of the provider', async () => {
  const file = write(
    'providers.yaml',
    `clusters:
  east: { server: http://127.0.0.1:1, providers: [aws] }
  west: { server: http://127.0.0.1:1, providers: [azure] }
providers:
  aws:
    type: ec2
  azure:
    type: aks
`,
  );

  const { code, out } = await poolwright('config', 'check', file, '--json');

  const { findings } = JSON.parse(out) as { findings: { line: number; message: string }[] };
  expect(code).toBe(1);
  expect(findings.map(({ line, message }) => `${line} ${message.split(':')[0]}`)).toEqual([
    '5 providers.aws.region',
    '5 providers.aws.clusterName',
    '7 providers.azure.subscription',
    '7 providers.azure.resourceGroup',
  ]);
});

const forAnother = `clusters:
  east: { kubeconfig: /not/here/kubeconfig, providers: [azure] }
  pod: { inCluster: true, providers: [aws] }
providers:
  azure:
    type: aks
    subscription: mine
  aws:
    type: ec2
    region: eu-west-1
`;

test('a cluster that cannot be reached from here does not hide the mistakes of its providers', async () => {
  const { code, out, err } = await poolwright('config', 'check', write('another.yaml', forAnother), '--json');

  const { findings } = JSON.parse(out) as { findings: { line: number; message: string }[] };
  expect(code).toBe(1);
  expect(err).toBe('');
  expect(findings.map(({ line, message }) => `${line} ${/^[\w.]+/.exec(message)?.[0]}`)).toEqual([
    '2 clusters.east.kubeconfig',
    '3 clusters.pod.inCluster',
    '5 providers.azure.resourceGroup',
    '7 providers.azure.subscription',
    '8 providers.aws.clusterName',
  ]);
});

test('what only another machine has is no mistake with --elsewhere, and told', async () => {
  const { code, out, err } = await poolwright('config', 'check', write('another.yaml', forAnother), '--elsewhere');

  expect(code).toBe(1);
  expect(out.split('\n')).toHaveLength(2);
  expect(out).toContain('another.yaml:7: providers.azure.subscription: must be the id');
  expect(err).toContain('another.yaml:2: clusters.east.kubeconfig refers to /not/here/kubeconfig');
  expect(err).toContain('another.yaml:8: providers.aws.clusterName: is missing; set it, or EKS_CLUSTER_NAME');
  expect(err).toMatch(/\n1 mistake found in .*another.yaml.\n$/);

  const mended = write('mended.yaml', forAnother.replace('mine', '00000000-0000-0000-0000-000000000000'));
  expect(await poolwright('config', 'check', mended, '--elsewhere')).toMatchObject({ code: 0, out: '' });
  expect((await poolwright('config', 'check', mended)).err).toContain('--elsewhere');
});

test.each([
  [
    'an anchor around its own alias',
    'clusters: &a { b: *a }\n',
    ': the file has a YAML anchor that contains its own alias\n',
  ],
  [
    'a second document',
    'deployment: a\n---\ndeployment: b\n',
    ':2: a second document begins here (---); a configuration',
  ],
  ['no end of brackets', `a: ${'['.repeat(20_000)}`, ':1: is nested too deeply\n'],
])('%s is told in words', async (name, text, expected) => {
  const { code, out } = await poolwright('config', 'check', write(`${name.replaceAll(' ', '-')}.yaml`, text));

  expect(code).toBe(1);
  expect(out).toContain(expected);
});

test('manifests are checked with file and line, and what is of other kinds is left alone', async () => {
  const file = write(
    'manifests.yaml',
    `apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata:
  name: Bad_Name
spec:
  nodeClassRef: { group: poolwright.dev, kind: SimNodeClas, name: default }
  requirments: []
  requirements:
    - key: karpenter.sh/capacity-type
      operator: In
      values: [on_demand]
  resources:
    requests:
      cpu: 2x
---
apiVersion: poolwright.dev/v1alpha1
kind: SimNodeClass
metadata: { name: default }
spec:
  bootSecond: 3
  zones: 4
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: pool }
spec:
  replicas: -1
  template:
    spec:
      nodeClassRef: { group: poolwright.dev, kind: SimNodeClass, name: default }
      requirements:
        - { key: a, operator: In, values: [] }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: theirs }
---
apiVersion: karpenter.sh/v1beta1
kind: NodeClaim
---
just text
`,
  );

  const { code, out } = await poolwright('config', 'check', write('good.yaml', 'deployment: office\n'), '-f', file);

  expect(code).toBe(1);
  await expect(inFolder(out)).toMatchFileSnapshot('__snapshots__/config-check-manifests.txt');
});

test.each(readdirSync(new URL('../../docs/examples/', import.meta.url)).filter((file) => file.endsWith('.yaml')))(
  'docs/examples/%s has no mistake',
  async (file) => {
    const path = new URL(`../../docs/examples/${file}`, import.meta.url).pathname;
    const good = write('good.yaml', 'deployment: office\n');

    expect(await poolwright('config', 'check', good, '-f', path)).toMatchObject({ code: 0, out: '' });
  },
);

test.each([
  ['no YAML', 'a: [\n', ':2: '],
  ['empty', '', 'the file is empty'],
  [
    'a bomb of aliases',
    `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefg'].map((one, index) => `${one}: &${one} [${`*${'abcdefg'[index]},`.repeat(9)}]`).join('\n')}\n`,
    'alias',
  ],
  ['a circle', 'spec: &a { b: *a }\n', 'an alias inside its own anchor'],
])('a manifest that is %s is said to be so', async (name, text, expected) => {
  const { code, out } = await poolwright('config', 'check', '-f', write(`${name.replaceAll(' ', '-')}.yaml`, text));

  expect(code).toBe(1);
  expect(out).toContain(expected);
});

test('without any file it says what to do', async () => {
  const { code, err } = await poolwright('config', 'check');

  expect(code).toBe(2);
  expect(err).toContain("run 'poolwright init' to write one");
  // Nothing was named, so there is no path to check.
  expect(err).not.toContain('permissions');
});

test('show fills in what is not written, and hides what is secret', async () => {
  const file = write(
    'secrets.yaml',
    `clusters:
  east:
    server: https://user:hunter2@example.org
    token: hunter2-token
    intake: { tokens: [hunter2-intake-token], tokenFiles: [${folder}/good.yaml] }
    clientKey: ./key.pem
    clientCertificate: ./cert.pem
`,
  );

  const { code, out } = await poolwright('config', 'show', file, '-o', 'json');

  expect(code).toBe(0);
  expect(out).not.toContain('hunter2');
  expect(JSON.parse(out)).toMatchObject({
    deployment: 'local',
    clusters: { east: { clientKey: join(folder, 'key.pem'), intake: { tokenFiles: [join(folder, 'good.yaml')] } } },
  });
});
