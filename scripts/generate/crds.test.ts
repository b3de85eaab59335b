import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { crdDirectory, generatedCrds } from './crds.ts';

describe('infra/kubernetes/crds', () => {
  it('is up to date (run `npm run generate`)', async () => {
    const files = await generatedCrds();

    expect(readdirSync(crdDirectory).sort()).toEqual([...files.keys()].sort());
    for (const [name, content] of files) expect(readFileSync(join(crdDirectory, name), 'utf8'), name).toBe(content);
  });

  it('holds claims, pools, cluster requests, virtual machines and the node classes of every provider', async () => {
    expect([...(await generatedCrds()).keys()].sort()).toEqual([
      'infra.virtrigaud.io_providers.yaml',
      'infra.virtrigaud.io_virtualmachines.yaml',
      'infra.virtrigaud.io_vmclasses.yaml',
      'infra.virtrigaud.io_vmclones.yaml',
      'infra.virtrigaud.io_vmimages.yaml',
      'infra.virtrigaud.io_vmmigrations.yaml',
      'infra.virtrigaud.io_vmnetworkattachments.yaml',
      'infra.virtrigaud.io_vmplacementpolicies.yaml',
      'infra.virtrigaud.io_vmsets.yaml',
      'infra.virtrigaud.io_vmsnapshots.yaml',
      'kaito.sh_kaitonodeclasses.yaml',
      'karpenter.azure.com_aksnodeclasses.yaml',
      'karpenter.k8s.aws_ec2nodeclasses.yaml',
      'karpenter.k8s.cloudstack_cloudstacknodeclasses.yaml',
      'karpenter.sh_nodeclaims.yaml',
      'karpenter.sh_nodepools.yaml',
      'poolwright.dev_arcnodeclasses.yaml',
      'poolwright.dev_clusterrequests.yaml',
      'poolwright.dev_machinenodeclasses.yaml',
      'poolwright.dev_simnodeclasses.yaml',
    ]);
  });
});
