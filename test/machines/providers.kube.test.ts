/** Providers become pods, on a real API server, with exactly the rights of the list; and Ready, with a real provider server behind them. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { usualRights } from '../../scripts/generate/rbac.ts';
import type { ClusterApi } from '../../shared/kube/contract.ts';
import { rightsOf } from '../../shared/kube/rights.ts';
import { machineKinds } from '../../shared/machines/api/kinds.ts';
import { checkRights } from '../../shared/ownership/check-rights.ts';
import { applyRights } from '../kube/accounts.ts';
import { useOwnKube } from '../kube/own-kube.ts';
import { providerCases } from './provider-cases.ts';
import { providerTroubleCases } from './provider-trouble-cases.ts';
import { type ProviderWorld, providerWorld } from './provider-world.ts';
import {
  outdatedSamples,
  samples,
  upstreamDefinitions,
  upstreamIsThere,
  whereUpstreamIs,
} from './upstream-definitions.ts';

describe('Providers under our definitions', () => suite(false));
describe.skipIf(!upstreamIsThere)(`Providers under VirtRigaud's definitions ${whereUpstreamIs}`, () => suite(true));

const account = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'poolwright-host', namespace: 'poolwright' },
};

function suite(upstream: boolean): void {
  const kube = useOwnKube();
  let api: ClusterApi;
  let world: ProviderWorld;
  beforeAll(async () => {
    if (upstream) for (const { names, crd } of theirs()) await replaceDefinition(names, crd);
    await kube().apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'poolwright' } }, account);
    await applyRights(kube(), 'providers', usualRights);
    const token = await kube().tokenFor({ namespace: 'poolwright', name: 'poolwright-host' });
    // The rights for Providers alone: what the provisioner has besides must not help.
    api = kube().connect({ token });
    await vi.waitFor(async () => expect(await checkRights(api, rightsOf(usualRights).providers)).toEqual([]), {
      timeout: 30_000,
    });
    world = await providerWorld(kube(), 'team', api);
  });
  afterAll(async () => {
    await world?.close();
    api?.close();
  });

  const replaceDefinition = async (name: string, crd: object): Promise<void> => {
    await kube().request('DELETE', `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`);
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
    await vi.waitFor(async () => expect((await kube().request('GET', path)).code).toBe(404), { timeout: 30_000 });
    await kube().apply(crd as never);
  };
  const theirs = () => upstreamDefinitions().map((crd) => ({ names: crd.metadata.name, crd }));

  it.runIf(upstreamIsThere)('the samples of VirtRigaud are accepted, but for those of an older API', async () => {
    const refused: string[] = [];
    for (const { file, object } of samples()) {
      const kind = Object.values(machineKinds).find((one) => one.kind === object.kind);
      const path = `/apis/${object.apiVersion}/namespaces/team/${kind?.plural}?dryRun=All`;
      const { code, body } = await kube().request('POST', path, {
        ...object,
        metadata: { ...object.metadata, namespace: 'team' },
      });
      if (code === 201) continue;
      const one = `${object.kind}/${object.metadata.name}`;
      refused.push(outdatedSamples.includes(one) ? one : `${file}: ${one}: ${body.message}`);
    }
    expect(samples().length).toBeGreaterThan(40);
    expect(refused.sort()).toEqual(outdatedSamples.toSorted());
  });

  const at = Object.assign(() => ({ kube: kube(), world, api }), { upstream });
  providerCases(at);
  providerTroubleCases(at);
}
