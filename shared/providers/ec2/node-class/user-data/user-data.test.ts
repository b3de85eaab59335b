import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Ec2Cluster } from '../resolved.ts';
import { type AmiFamily, amiFamilies } from '../schema.ts';
import { mostUserDataBytes, tenthAddress, type UserDataInput } from './input.ts';
import { joinParts, type MimePart, partsOf } from './mime.ts';
import { readToml } from './toml-read.ts';
import { userDataFor } from './user-data.ts';

const cluster: Ec2Cluster = {
  name: 'web',
  endpoint: 'https://web.example',
  certificateAuthority: 'Q0E=',
  kubernetesVersion: '1.34',
  serviceCidr: '10.100.0.0/16',
};
const input = (more: Partial<UserDataInput> = {}): UserDataInput => ({
  cluster,
  labels: { 'karpenter.sh/nodepool': 'web', team: 'a' },
  taints: [
    { key: 'karpenter.sh/unregistered', effect: 'NoExecute' },
    { key: 'gpu', value: 'yes', effect: 'NoSchedule' },
  ],
  kubelet: {},
  ...more,
});
const made = (family: AmiFamily, more: Partial<UserDataInput> = {}): string => {
  const result = userDataFor(family, input(more));
  if (!result.ok) expect.fail(result.error.message);
  return result.value;
};
const partsIn = (text: string): MimePart[] => partsOf(text, () => 'none');
const nodeConfigIn = (text: string) => parse(partsIn(text).at(-1)?.body ?? '') as Record<string, unknown>;

describe('user data of Amazon Linux 2023', () => {
  test('says which cluster a node joins, and what it registers with', () => {
    expect(nodeConfigIn(made('AL2023'))).toEqual({
      apiVersion: 'node.eks.aws/v1alpha1',
      kind: 'NodeConfig',
      spec: {
        cluster: {
          name: 'web',
          apiServerEndpoint: 'https://web.example',
          certificateAuthority: 'Q0E=',
          cidr: '10.100.0.0/16',
        },
        kubelet: {
          config: {
            clusterDNS: ['10.100.0.10'],
            registerWithTaints: [
              { key: 'gpu', value: 'yes', effect: 'NoSchedule' },
              { key: 'karpenter.sh/unregistered', effect: 'NoExecute' },
            ],
          },
          flags: ['--node-labels=karpenter.sh/nodepool=web,team=a'],
        },
      },
    });
  });

  test('has the settings of the class in the kubelet’s own words, and local disks as one', () => {
    const kubelet = { evictionHard: { 'memory.available': '5%' }, maxPods: 30, clusterDNS: ['10.0.0.1'] } as const;
    const config = nodeConfigIn(
      made('AL2023', {
        kubelet: { ...kubelet, clusterDNS: [...kubelet.clusterDNS] },
        maxPods: 20,
        instanceStore: 'RAID0',
      }),
    );
    expect(config).toMatchObject({
      spec: {
        kubelet: { config: { maxPods: 20, clusterDNS: ['10.0.0.1'], evictionHard: { 'memory.available': '5%' } } },
        instance: { localStorage: { strategy: 'RAID0' } },
      },
    });
  });

  test('keeps scripts and NodeConfigs of the class, and has the last word', () => {
    const script = partsIn(made('AL2023', { userData: '#!/bin/bash\necho hi\n' }));
    expect(script.map(({ contentType }) => contentType)).toEqual([
      'text/x-shellscript; charset="us-ascii"',
      'application/node.eks.aws',
    ]);
    const config = partsIn(made('AL2023', { userData: 'apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n' }));
    expect(config.map(({ contentType }) => contentType)).toEqual([
      'application/node.eks.aws',
      'application/node.eks.aws',
    ]);
  });

  test.each([
    ['apiVersion: "node.eks.aws/v1alpha1"\nkind: NodeConfig\n', 'application/node.eks.aws'],
    ['{"apiVersion": "node.eks.aws/v1alpha1", "kind": "NodeConfig"}', 'application/node.eks.aws'],
    ['#cloud-config\npackages: [jq]\n', 'text/cloud-config; charset="us-ascii"'],
    ['#!/bin/bash\ncat <<E\nkind: NodeConfig\nE\n', 'text/x-shellscript; charset="us-ascii"'],
  ])('knows what %j is', (userData, expected) => {
    expect(partsIn(made('AL2023', { userData }))[0]?.contentType).toBe(expected);
  });

  test('codes what is not ASCII for cloud-init, which would garble it, and not for nodeadm, which decodes nothing', () => {
    const script = '#!/bin/bash\necho grün €\n';
    const coded = made('AL2023', { userData: script });
    const [head, body] = (coded.split('--//')[1] ?? '').trim().split('\n\n');
    expect(head).toContain('Content-Transfer-Encoding: base64');
    expect(Buffer.from(body ?? '', 'base64').toString()).toBe(script);

    const config = 'apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n# grün\n';
    expect(made('AL2023', { userData: config })).toContain(config);
  });

  test('keeps each part of a multipart text', () => {
    const own = [
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed;',
      ' boundary="BOUNDARY"',
      '',
      '--BOUNDARY',
      'Content-Type: text/x-shellscript',
      '',
      'echo one',
      '--BOUNDARY',
      'Content-Type: text/cloud-config',
      'Content-Transfer-Encoding: base64',
      'Merge-Type: list(append)+',
      ' dict(recurse_array)+str()',
      '',
      Buffer.from('packages: [jq]').toString('base64'),
      '--BOUNDARY--',
      '',
    ].join('\r\n');
    const parts = partsIn(made('AL2023', { userData: own }));
    expect(parts.slice(0, 2).map(({ contentType, body }) => [contentType, body.trim()])).toEqual([
      ['text/x-shellscript', 'echo one'],
      ['text/cloud-config', 'packages: [jq]'],
    ]);
    expect(parts).toHaveLength(3);
    expect(parts.map(({ headers }) => headers)).toEqual([
      undefined,
      ['Merge-Type: list(append)+ dict(recurse_array)+str()'],
      undefined,
    ]);
  });

  test('leaves a part as it is coded where only cloud-init can read it', () => {
    const own = [
      'Content-Type: multipart/mixed; boundary="B"',
      '',
      '--B',
      'Content-Type: text/x-shellscript',
      'Content-Transfer-Encoding: quoted-printable',
      'Content-Disposition: attachment; filename="one.sh"',
      '',
      'echo =3D',
      '--B--',
    ].join('\n');
    expect(made('AL2023', { userData: own })).toContain(
      'Content-Type: text/x-shellscript\nContent-Transfer-Encoding: quoted-printable\n' +
        'Content-Disposition: attachment; filename="one.sh"\n\necho =3D\n',
    );
  });
});

describe('user data of Bottlerocket for a machine that is in no Auto Scaling group', () => {
  test.each([
    ['[settings.autoscaling]\nshould-wait = true\n', false],
    ['[settings.motd]\nx = 1\n', undefined],
  ])('never waits for one: %j', (userData, expected) => {
    const read = readToml(made('Bottlerocket', { userData }));
    if (!read.ok) expect.fail(read.message);
    const settings = read.value.get('settings');
    const autoscaling = settings instanceof Map ? settings.get('autoscaling') : undefined;
    expect(autoscaling instanceof Map ? autoscaling.get('should-wait') : undefined).toBe(expected);
  });
});

describe('user data of Amazon Linux 2', () => {
  test('calls the bootstrap of the image after the scripts of the class', () => {
    const text = made('AL2', {
      userData: 'echo first',
      kubelet: { maxPods: 10, evictionHard: { 'memory.available': '5%' } },
    });
    expect(text.indexOf('echo first')).toBeLessThan(text.indexOf('/etc/eks/bootstrap.sh'));
    for (const part of [
      "/etc/eks/bootstrap.sh 'web'",
      "--apiserver-endpoint 'https://web.example'",
      "--b64-cluster-ca 'Q0E='",
      "--dns-cluster-ip '10.100.0.10'",
      '--use-max-pods false',
      '--max-pods=10',
      '--node-labels="karpenter.sh/nodepool=web,team=a"',
      '--register-with-taints="gpu=yes:NoSchedule,karpenter.sh/unregistered=:NoExecute"',
      '--eviction-hard="memory.available<5%"',
    ]) {
      expect(text).toContain(part);
    }
  });

  test('leaves the number of pods to the image where it comes to the same', () => {
    expect(made('AL2')).not.toContain('max-pods');
  });
});

describe('user data of Bottlerocket', () => {
  const settingsIn = (text: string) => {
    const read = readToml(text);
    if (!read.ok) expect.fail(read.message);
    return JSON.parse(
      JSON.stringify(read.value.get('settings'), (_, value) =>
        value instanceof Map ? Object.fromEntries(value) : value,
      ),
    ) as { kubernetes: Record<string, unknown> };
  };

  test('is the settings of the class with what makes a node join', () => {
    const own =
      '[settings.kubernetes]\napi-server = "https://other"\nallowed-unsafe-sysctls = ["net.*"]\n[settings.kubernetes.node-labels]\nmine = "1"\n[settings.host-containers.admin]\nenabled = true\n';
    const settings = settingsIn(made('Bottlerocket', { userData: own, maxPods: 17 }));
    expect(settings).toEqual({
      kubernetes: {
        'api-server': 'https://web.example',
        'cluster-name': 'web',
        'cluster-certificate': 'Q0E=',
        'cluster-dns-ip': '10.100.0.10',
        'allowed-unsafe-sysctls': ['net.*'],
        'max-pods': { text: '17' },
        'node-labels': { mine: '1', team: 'a', 'karpenter.sh/nodepool': 'web' },
        'node-taints': { gpu: ['yes:NoSchedule'], 'karpenter.sh/unregistered': [':NoExecute'] },
      },
      'host-containers': { admin: { enabled: true } },
    });
  });

  test('that is no TOML is refused with its line', () => {
    const result = userDataFor('Bottlerocket', input({ userData: '[settings\n' }));
    expect(result).toMatchObject({
      ok: false,
      error: { kind: 'invalid', message: expect.stringMatching(/spec.userData: line \d+ is not TOML/) },
    });
  });
});

test('user data of Windows calls the bootstrap inside one script', () => {
  const text = made('Windows2022', { userData: '<powershell>\nWrite-Host hi\n</powershell>' });
  expect(text.match(/<powershell>/g)).toHaveLength(1);
  expect(text).toContain("-EKSClusterName 'web'");
  expect(text.indexOf('Write-Host hi')).toBeLessThan(text.indexOf('& $EKSBootstrapScriptFile'));
});

test('user data of a custom image is what the class says, and nothing else', () => {
  expect(made('Custom', { userData: 'anything\r\nat all' })).toBe('anything\r\nat all');
  expect(made('Custom')).toBe('');
});

test.each(amiFamilies)('user data of %s that is too large is refused, with both numbers', (family) => {
  const userData = family === 'Bottlerocket' ? `a = "${'x'.repeat(20_000)}"` : 'x'.repeat(20_000);
  const result = userDataFor(family, input({ userData }));
  if (result.ok) expect.fail('it should have been refused');
  expect(result.error.message).toMatch(
    new RegExp(`spec.userData: .* has 2\\d{4} bytes, but EC2 allows at most ${mostUserDataBytes}`),
  );
});

test('labels with which a kubelet would not start are left for the registration', () => {
  const text = made('AL2023', {
    labels: {
      'node-restriction.kubernetes.io/x': 'a',
      'topology.kubernetes.io/zone': 'b',
      'node.kubernetes.io/c': 'd',
      'apps.k8s.io/e': 'f',
    },
  });
  expect(text).toContain('--node-labels=node.kubernetes.io/c=d,topology.kubernetes.io/zone=b\n');
});

test.each([
  ['10.100.0.0/16', '10.100.0.10'],
  ['172.20.0.0/20', '172.20.0.10'],
  ['fd30:1:2::/108', 'fd30:1:2::a'],
  ['nonsense', undefined],
])('the tenth address of %s is %s', (cidr, expected) => {
  expect(tenthAddress(cidr)).toBe(expected);
});

const anyText = fc.string({ unit: fc.constantFrom('a', '-', '/', '\n', ' ', ':', '"', '1') });

describe('merging', () => {
  test('parts come back as they went in, whatever they hold', () => {
    const part = fc.record({
      contentType: fc.constantFrom('text/plain', 'text/x-shellscript'),
      body: anyText.filter((text) => text.trim() !== ''),
    });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
        const back = partsIn(joinParts(parts));
        expect(back.map(({ contentType }) => contentType)).toEqual(parts.map(({ contentType }) => contentType));
        expect(back.map(({ body }) => body.replace(/\n*$/, ''))).toEqual(
          parts.map(({ body }) => body.replace(/\n*$/, '')),
        );
      }),
    );
  });

  test('the class’s own part never unseats what makes a node join', () => {
    fc.assert(
      fc.property(anyText, (userData) => {
        expect(nodeConfigIn(made('AL2023', { userData }))).toMatchObject({ spec: { cluster: { name: 'web' } } });
      }),
    );
  });

  test('the order of labels and taints does not matter', () => {
    const labels = fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.stringMatching(/^[a-z]{0,5}$/));
    const taints = fc.array(
      fc.record({
        key: fc.stringMatching(/^[a-z]{1,5}$/),
        effect: fc.constantFrom('NoSchedule' as const, 'NoExecute' as const),
      }),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(labels, taints, fc.constantFrom(...amiFamilies), (some, several, family) => {
        const turned = Object.fromEntries(Object.entries(some).reverse());
        const one = made(family, { labels: some, taints: several });
        expect(made(family, { labels: turned, taints: several.toReversed() })).toBe(one);
      }),
    );
  });
});
