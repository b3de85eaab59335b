import { describe, expect, test } from 'vitest';
import type { Json } from '../../../base/json.ts';
import { describeProblems } from '../../../base/problems.ts';
import { parseAksNodeClass } from './aks.ts';

const subnet = '/subscriptions/s-1/resourceGroups/net_(a).b/providers/Microsoft.Network/virtualNetworks/v/subnets/gpu';

const problemOf = (spec: Json): string => {
  const parsed = parseAksNodeClass(spec);
  if (parsed.ok) expect.fail('it should have been refused');
  return describeProblems(parsed.problems);
};

describe('an AKSNodeClass', () => {
  test.each([null, {}])('may say nothing: %j', (spec) => {
    expect(parseAksNodeClass(spec)).toEqual({ ok: true, value: { tags: {} } });
  });

  test("is read in Karpenter's spelling and told in that of AKS", () => {
    const spec = {
      imageFamily: 'Ubuntu2404',
      osDiskSizeGB: 256,
      maxPods: 60,
      vnetSubnetID: subnet,
      tags: { team: 'web' },
      fipsMode: 'FIPS',
      gpu: { mode: 'None' },
      kubelet: {
        cpuManagerPolicy: 'static',
        cpuCFSQuota: false,
        cpuCFSQuotaPeriod: '50ms',
        imageGCHighThresholdPercent: 85,
        imageGCLowThresholdPercent: 80,
        topologyManagerPolicy: 'best-effort',
        allowedUnsafeSysctls: ['net.*'],
        containerLogMaxSize: '50Mi',
        containerLogMaxFiles: 5,
        podPidsLimit: 4096,
        failSwapOn: true,
      },
    };

    expect(parseAksNodeClass(spec)).toEqual({
      ok: true,
      value: {
        osSku: 'Ubuntu2404',
        osDiskSizeGB: 256,
        maxPods: 60,
        subnetId: subnet,
        tags: { team: 'web' },
        fips: true,
        gpuDriver: 'None',
        kubelet: {
          cpuManagerPolicy: 'static',
          cpuCfsQuota: false,
          cpuCfsQuotaPeriod: '50ms',
          imageGcHighThreshold: 85,
          imageGcLowThreshold: 80,
          topologyManagerPolicy: 'best-effort',
          allowedUnsafeSysctls: ['net.*'],
          containerLogMaxSizeMB: 50,
          containerLogMaxFiles: 5,
          podMaxPids: 4096,
          failSwapOn: true,
        },
      },
    });
  });

  test('leaves the usual to Azure: no FIPS, and the driver that it installs', () => {
    const parsed = parseAksNodeClass({ fipsMode: 'Disabled', gpu: { mode: 'Driver' } });
    expect(parsed).toEqual({ ok: true, value: { tags: {} } });
  });

  test.each<[Json, string]>([
    [{ imageFamily: 'Windows2022' }, 'spec.imageFamily'],
    [{ osDiskSizeGB: 10 }, 'spec.osDiskSizeGB'],
    [{ maxPods: 1000 }, 'spec.maxPods'],
    [{ vnetSubnetID: 'gpu' }, 'spec.vnetSubnetID: it must be the id of a subnet'],
    [{ imageFamly: 'Ubuntu' }, 'spec.imageFamly: there is no such field; did you mean "imageFamily"?'],
    [{ kubelet: { podPids: 1 } }, 'spec.kubelet.podPids: there is no such field'],
    [
      { kubelet: { containerLogMaxSize: '10Ki' } },
      'spec.kubelet.containerLogMaxSize: it must be a size of at least 1M',
    ],
    [{ tags: { 'a/b': 'c' } }, 'spec.tags["a/b"]'],
    [{ tags: { 'poolwright-claim': 'c' } }, 'identify the owner of a pool'],
    [{ security: { encryptionAtHost: true } }, "spec.security: only Karpenter's own provider"],
    [{ localDNS: { mode: 'Required' } }, 'spec.localDNS: only'],
    [{ artifactStreaming: { enabled: true } }, 'spec.artifactStreaming: only'],
    [{ linuxOSConfig: { sysctls: { vmSwappiness: 10 } } }, 'spec.linuxOSConfig: only'],
    [{ linuxOSConfig: { somethingNew: 1 } }, 'spec.linuxOSConfig: only'],
    ['text', 'spec'],
  ])('is refused with %j, by the field and with what to do', (spec, expected) => {
    expect(problemOf(spec)).toContain(expected);
  });

  test('may switch off what agent pools do not do', () => {
    const off = {
      security: { encryptionAtHost: false },
      localDNS: { mode: 'Disabled', kubeDNSOverrides: [{ zone: '.' }] },
      artifactStreaming: {},
      linuxOSConfig: {},
    };
    expect(parseAksNodeClass(off)).toEqual({ ok: true, value: { tags: {} } });
  });

  test('tells everything that is wrong at once', () => {
    const said = problemOf({ maxPods: 1, osDiskSizeGB: 1, security: { encryptionAtHost: true } });
    for (const field of ['spec.maxPods', 'spec.osDiskSizeGB', 'spec.security']) expect(said).toContain(field);
  });
});
