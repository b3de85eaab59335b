import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type ClusterApi as Simulated, startClusterApi } from '../../../sim/cluster/server.ts';
import { systemClock } from '../../base/runtime.ts';
import { silentLog } from '../../observe/log/log.ts';
import { connectCluster } from '../client/http.ts';
import { type ClusterApi, customResourceDefinitions } from '../contract.ts';
import { checkCrds, judgeCrd } from './installed-crds.ts';
import { neededKinds, neededNodeClass } from './needed-crds.ts';

const simNodeClass = { group: 'poolwright.dev', version: 'v1alpha1', kind: 'SimNodeClass', plural: 'simnodeclasses' };
const [claims, pools] = [neededKinds[0]!, neededKinds[1]!];

const definition = (file: string) =>
  parse(readFileSync(new URL(`../../../infra/kubernetes/crds/${file}`, import.meta.url), 'utf8'));
const claimDefinition = () => definition('karpenter.sh_nodeclaims.yaml');

describe('judgeCrd', () => {
  it('finds our own definitions usable', () => {
    expect(judgeCrd(claims, claimDefinition())).toEqual({
      name: 'nodeclaims.karpenter.sh',
      state: 'usable',
      required: true,
      madeBy: 'Poolwright 0.1.0',
    });
    expect(judgeCrd(pools, definition('karpenter.sh_nodepools.yaml')).state).toBe('usable');
  });

  it('names another tool that applied its definition over ours, where our annotation was left behind', () => {
    const crd = claimDefinition();
    crd.metadata.annotations['controller-gen.kubebuilder.io/version'] = 'v0.20.1';
    expect(judgeCrd(claims, crd).madeBy).toBe('controller-gen v0.20.1, applied over Poolwright 0.1.0');
  });

  it('says which versions an old definition serves', () => {
    const crd = claimDefinition();
    crd.spec.versions[0].name = 'v1beta1';
    crd.metadata.annotations = { 'controller-gen.kubebuilder.io/version': 'v0.14.0' };

    expect(judgeCrd(claims, crd)).toMatchObject({
      state: 'too-old',
      problem: expect.stringMatching(
        /^nodeclaims.karpenter.sh \(made by controller-gen v0.14.0\) is too old: it serves v1beta1, not v1: .*Karpenter 1.0/,
      ),
    });
  });

  it('names the fields that are lacking', () => {
    const crd = claimDefinition();
    delete crd.spec.versions[0].schema.openAPIV3Schema.properties.status.properties.providerID;
    delete crd.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.requirements;
    crd.spec.versions[0].subresources = {};

    expect(judgeCrd(claims, crd).problem).toContain(
      'it lacks spec.requirements, status.providerID, the subresource status: update it with the tool that installed it',
    );
  });

  it('takes a schema that keeps what it does not know for one that has it', () => {
    const crd = claimDefinition();
    crd.spec.versions[0].schema.openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

    expect(judgeCrd(claims, crd).state).toBe('usable');
  });

  it('refuses a definition that stores another version', () => {
    const crd = claimDefinition();
    crd.spec.versions.push({ ...crd.spec.versions[0], name: 'v1beta1', storage: true });
    crd.spec.versions[0].storage = false;

    expect(judgeCrd(claims, crd).problem).toContain('it stores v1beta1, not v1');
  });

  it('only warns about pools without replicas, which older releases of Karpenter have', () => {
    const crd = definition('karpenter.sh_nodepools.yaml');
    delete crd.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.replicas;

    expect(judgeCrd(pools, crd)).toMatchObject({
      state: 'too-old',
      required: false,
      problem: expect.stringContaining('NodePools with replicas do not work there'),
    });
  });

  it('says why a definition is not served', () => {
    const crd = claimDefinition();
    crd.status = { conditions: [{ type: 'NamesAccepted', status: 'False', message: '"nodeclaims" is taken' }] };

    expect(judgeCrd(claims, crd)).toMatchObject({ state: 'unready', problem: expect.stringContaining('is taken') });
  });

  it.each([
    ['no versions', { spec: {} }],
    ['versions that are a text', { spec: { versions: 'v1' } }],
    ['no spec', {}],
  ])('copes with a definition that has %s', (_, fields) => {
    const crd = { metadata: { name: 'x', uid: 'u', resourceVersion: '1', creationTimestamp: '' }, ...fields };

    expect(judgeCrd(neededNodeClass(simNodeClass), crd as Parameters<typeof judgeCrd>[1]).problem).toContain(
      'it serves nothing, not v1alpha1',
    );
  });
});

describe('checkCrds', () => {
  const connection = { clock: systemClock, log: silentLog, requestTimeoutMs: 60_000, fieldManager: 'poolwright' };
  const connect = (url: string): ClusterApi => connectCluster({ name: 'dev', url, ...connection });
  let server: Simulated;
  let api: ClusterApi;
  beforeEach(async () => {
    server = await startClusterApi({ file: ':memory:', port: 0 });
    api = connect(server.url);
  });
  afterEach(async () => {
    api.close();
    await server.close();
  });

  it('has no complaint about a cluster with all definitions', async () => {
    const report = await checkCrds(api, { nodeClasses: [simNodeClass] });

    expect(report).toMatchObject({ ok: true, value: { problems: [], warnings: [] } });
    expect(report.ok && report.value.findings.map(({ name, state }) => [name, state])).toEqual([
      ['nodeclaims.karpenter.sh', 'usable'],
      ['nodepools.karpenter.sh', 'usable'],
      ['simnodeclasses.poolwright.dev', 'usable'],
    ]);
  });

  it('names what is not installed and how to install it', async () => {
    for (const name of ['nodeclaims.karpenter.sh', 'nodepools.karpenter.sh']) {
      expect((await api.delete(customResourceDefinitions, { name }, {})).ok).toBe(true);
    }

    const report = await checkCrds(api, { nodeClasses: [{ ...simNodeClass, plural: 'others' }] });

    expect(report.ok && report.value.problems).toEqual([
      'cluster dev: nodeclaims.karpenter.sh is not installed, so claims cannot be used: install it with `poolwright crds install` or `kubectl apply -f infra/kubernetes/crds`',
      expect.stringContaining('others.poolwright.dev is not installed'),
    ]);
    expect(report.ok && report.value.warnings).toEqual([expect.stringContaining('nodepools.karpenter.sh')]);
  });

  it('says which cluster and which definition could not be read', async () => {
    // Nothing listens on the port that only the system may give away.
    const gone = connect('http://127.0.0.1:1');

    const report = await checkCrds(gone);
    gone.close();

    expect(report).toMatchObject({ ok: false, error: { kind: 'unavailable' } });
    expect(!report.ok && report.error.message).toContain(
      "cluster dev: can't read the definition nodeclaims.karpenter.sh",
    );
  });
});
