import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { poolwright } from './collect.ts';

let folder = '';
const dataDirectory = process.env.POOLWRIGHT_DATA_DIR;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'poolwright-plan-'));
  // No host of the machine is to be asked for prices.
  process.env.POOLWRIGHT_DATA_DIR = folder;
});
afterAll(() => {
  if (dataDirectory === undefined) delete process.env.POOLWRIGHT_DATA_DIR;
  else process.env.POOLWRIGHT_DATA_DIR = dataDirectory;
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}
const inFolder = (text: string): string => text.replaceAll(folder, '<folder>');

const request = (name: string, spec: string): string => `apiVersion: poolwright.dev/v1alpha1
kind: ClusterRequest
metadata:
  name: ${name}
spec:
${spec.replace(/^/gm, '  ')}
`;

describe('poolwright clusters plan', () => {
  const mixed = [
    request('web', 'location: West Europe\ngitOps:\n  url: https://github.com/example/fleet\n  public: true'),
    request('Bad_Name', 'location: westeurope\nnodePool:\n  type: standart\nnetwork:\n  policy: calico'),
    JSON.stringify({
      clusterName: 'Jobs_1',
      location: 'westeurope',
      nodePoolType: 'compute-optimized',
      enableNAP: false,
    }),
    'a: [',
    'kind: Secret\napiVersion: v1\nmetadata: {name: s}\n',
    request('web', 'location: eastus'),
  ].join('\n---\n');

  test('plans what is valid, tells what is not with file, line and fix, and goes on', async () => {
    const { code, out, err } = await poolwright('clusters', 'plan', '-f', write('mixed.yaml', mixed), '-n', 'team-a');

    expect(code).toBe(1);
    await expect(inFolder(out)).toMatchFileSnapshot('__snapshots__/clusters-plan.txt');
    await expect(inFolder(err)).toMatchFileSnapshot('__snapshots__/clusters-plan-messages.txt');
  });

  test('writes the manifests as a document, with a price that is unknown and not zero', async () => {
    const file = write('one.yaml', request('web', 'location: westeurope'));
    const yaml = await poolwright('clusters', 'plan', '-f', file, '-o', 'yaml');
    const json = await poolwright('clusters', 'plan', '-f', file, '--json');

    expect(yaml.code).toBe(0);
    expect(parse(yaml.out)).toEqual(JSON.parse(json.out));
    const { items } = JSON.parse(json.out);
    expect(items).toMatchObject([{ name: 'web', namespace: 'default', valid: true, line: 1, monthlyPrice: null }]);
    expect(items[0].stages.map(({ stage }: { stage: string }) => stage)).toEqual([
      'ResourceGroup',
      'Identity',
      'ManagedCluster',
      'NodeClass',
      'NodePool',
    ]);
    expect(yaml.err).toContain('Nothing was created.');
  });

  test('knows the pool types of a platform team', async () => {
    const types = write(
      'types.yaml',
      'gpu: {description: GPUs., family: NC, vmSizes: [Standard_NC24ads_A100_v4], limits: {cpu: 96, memory: 1Ti}}\n',
    );
    const file = write('gpu.yaml', request('train', 'location: westeurope\nnodePool: {type: gpu}'));

    expect(await poolwright('clusters', 'plan', '-f', file)).toMatchObject({ code: 1 });
    expect(await poolwright('clusters', 'plan', '-f', file, '--pool-types', types)).toMatchObject({ code: 0 });

    const wrong = write('wrong-types.yaml', 'gpu:\n  description: GPUs.\n  famly: NC\n');
    const refused = await poolwright('clusters', 'plan', '-f', file, '--pool-types', wrong);
    expect(refused.code).toBe(1);
    expect(inFolder(refused.err)).toContain('<folder>/wrong-types.yaml:3: gpu.famly: there is no such field');
  });

  test('does not show a credential that is in a URL', async () => {
    const file = write(
      'secret.yaml',
      request('web', 'location: westeurope\ngitOps:\n  url: https://me:hunter22@example.com/a'),
    );
    const { code, out, err } = await poolwright('clusters', 'plan', '-f', file);

    expect(code).toBe(1);
    expect(out + err).not.toContain('hunter22');
  });

  test.each([
    [['clusters', 'plan'], 2, 'plan needs a file'],
    [['clusters', '-f', 'x.yaml'], 2, "unknown option '-f'"],
    [['clusters', 'plann'], 2, 'Did you mean plan?'],
    [['clusters', 'plan', 'production', '-f', 'x.yaml'], 2, 'too many arguments'],
    [['clusters', 'plan', '-f', '/nowhere/x.yaml'], 1, 'cannot be read'],
  ])('%j', async (words, expected, message) => {
    const { code, err } = await poolwright(...words);

    expect({ code, err }).toEqual({ code: expected, err: expect.stringContaining(message) });
  });

  test('--check needs a host, and says so', async () => {
    const file = write('check.yaml', request('web', 'location: westeurope'));
    const { code, err } = await poolwright('clusters', 'plan', '--check', '-f', file);

    expect(code).toBe(1);
    expect(err).toContain('No host has ever run');
  });

  test('says so where a file has no request', async () => {
    const file = write('none.yaml', 'kind: Secret\napiVersion: v1\nmetadata: {name: s}\n');
    const { code, err } = await poolwright('clusters', 'plan', '-f', file);

    expect(code).toBe(1);
    expect(err).toContain('There is no ClusterRequest');
  });
});

describe('poolwright convert', () => {
  const old = `apiVersion: karpenter.azure.com/v1alpha2
kind: AKSNodeClass
metadata: {name: web}
spec:
  location: westeurope
  instanceTypes: [Standard_D4s_v5]
  osDisk:
    sizeGb: 100
---
apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata: {name: web}
spec:
  template:
    spec:
      nodeClassRef: {kind: AKSNodeClass, name: web}
      requirements: []
  disruption:
    consolidationPolicy: WhenEmpty
    consolidateAfter: 30s
    expireAfter: 2160h
---
apiVersion: v1
kind: ConfigMap
metadata: {name: other}
`;

  test('writes the result to stdout and each change to stderr', async () => {
    const { code, out, err } = await poolwright('convert', '-f', write('old.yaml', old));

    expect(code).toBe(0);
    await expect(out).toMatchFileSnapshot('__snapshots__/convert.yaml');
    await expect(inFolder(err)).toMatchFileSnapshot('__snapshots__/convert-messages.txt');
  });

  test('has nothing to say about its own result', async () => {
    const once = await poolwright('convert', '-f', write('again.yaml', old));
    const again = await poolwright('convert', '-f', write('again.yaml', once.out));

    expect(again.out).toBe(once.out);
    expect(again.err).not.toMatch(/: (changed|removed|problem) /);
  });

  test('ends with 1 where a field is left to its author', async () => {
    const file = write(
      'hopeless.yaml',
      'apiVersion: karpenter.sh/v1beta1\nkind: NodePool\nmetadata: {name: a}\nspec: {}\n',
    );
    const { code, err } = await poolwright('convert', '-f', file, '-o', 'json');

    expect(code).toBe(1);
    expect(err).toContain('1 to fix by hand');
  });

  test('refuses a file with nothing to convert', async () => {
    const file = write('nothing.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n');

    expect(await poolwright('convert', '-f', file)).toMatchObject({ code: 1, err: expect.stringContaining('nothing') });
  });
});
