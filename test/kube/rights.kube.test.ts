/**
 * The rights, on a server that heeds them. Every test on a real server runs under them, so what is missing fails somewhere;
 * here it is shown that nothing is too much, and what is said when something is missing.
 */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { startBridge } from '../../functions/sources/bridge.ts';
import { rbacObjects } from '../../infra/kubernetes/rbac-manifests.ts';
import { usualRights } from '../../scripts/generate/rbac.ts';
import { defined } from '../../shared/base/defined.ts';
import type { Json } from '../../shared/base/json.ts';
import { systemClock, systemIds, systemRandom } from '../../shared/base/runtime.ts';
import { emitNoticeEvent } from '../../shared/clusters/notify/kubernetes-event.ts';
import {
  events,
  type KubeObject,
  leases,
  nodeClaims,
  nodePools,
  nodes,
  persistentVolumeClaims,
  pods,
  type Resource,
  volumeAttachments,
} from '../../shared/kube/contract.ts';
import { type Right, rightsOf, type Verb } from '../../shared/kube/rights.ts';
import type { StoredClaim } from '../../shared/nodes/steps/claim-access.ts';
import { silentLog } from '../../shared/observe/log/log.ts';
import { checkRights } from '../../shared/ownership/check-rights.ts';
import { manifests } from '../../shared/providers/manifests.ts';
import { kindsOf } from '../../shared/providers/serving.ts';
import { operatorSubscription } from '../../sim/aso/settings.ts';
import { requestWorld } from '../clusters/request-world.ts';
import { providerWorld } from '../machines/provider-world.ts';
import { applyRights, productAccount } from './accounts.ts';
import { type KubeApiserver, startKubeApiserver } from './apiserver.ts';
import { manifestsIn } from './cluster.ts';
import { type HostWorld, isTrue, simNodeClasses, startHostWorld } from './host-world.ts';
import { freshName } from './use-kube.ts';

/** A server of its own, because it keeps an audit log and asks for the rights of owners; a named one does neither. */
describe.skipIf(inject('kubeIsNamed'))('the rights', () => {
  let kube: KubeApiserver;
  beforeAll(async () => {
    kube = await startKubeApiserver({
      audit: true,
      flags: ['--enable-admission-plugins=OwnerReferencesPermissionEnforcement'],
    });
    await kube.apply(...manifestsIn(join(import.meta.dirname, '../../infra/kubernetes/crds')));
  });
  afterAll(() => kube?.stop());

  it('of the provisioner are all used, and nothing else is asked for', async () => {
    const world = await startHostWorld(kube, {
      cluster: { reconcile: { pools: 1, nodeClasses: 1, expiration: 1 } },
      leaseSeconds: 10,
    });
    await world.api.create(leases, heldLease(world.leaseName));
    const { url } = await world.startHost();
    await world.until(() => world.log.lines.some(({ event }) => event === 'owner.read-only'));
    await world.api.delete(leases, { namespace: 'kube-system', name: world.leaseName }, {});
    await world.until(() => world.log.lines.some(({ event }) => event === 'owner.acts'));
    await fetch(`${url}/readyz`);
    await drained(world);
    await forced(world);
    await impossible(world);
    await staticPool(world);

    // The classes of providers that do not serve this cluster are nobody's business here.
    const { provisioner } = rightsOf({
      ...usualRights,
      nodeClasses: [simNodeClasses],
      lease: { namespace: 'kube-system', name: world.leaseName },
    });
    const asked = requestsOf(kube.auditLog, 'system:serviceaccount:poolwright:poolwright-host');
    expect(asked.filter(({ code }) => code === 403)).toEqual([]);
    // The server asks for these by itself when an owner is named; the next test takes them away.
    expect(unusedOf(provisioner, asked)).toEqual(['update nodeclaims/finalizers', 'update nodepools/finalizers']);
  });

  it('to name an owner that blocks deletion are needed where the cluster asks for them', async () => {
    const { api, token } = await anAccount(kube, 'provisioner');
    const admin = kube.connect();
    onTestFinished(() => admin.close());
    const name = freshName('owned');
    const node = await admin.create(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name } });
    const claim = await admin.create(nodeClaims, aClaim(name));
    if (!node.ok || !claim.ok) throw new Error('the objects could not be made');
    const { uid } = claim.value.metadata;
    const owner = { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name, uid, blockOwnerDeletion: true };
    const patch: Json = { metadata: { ownerReferences: [owner] } };

    await without(kube, 'nodeclaims/finalizers', token);
    expect(await api.mergePatch(nodes, { name }, patch)).toMatchObject({ ok: false, error: { kind: 'unauthorised' } });
    await productAccount(kube, 'provisioner', scratch());
    expect(await api.mergePatch(nodes, { name }, patch)).toMatchObject({ ok: true });
  });

  it('that are missing are named at the start: the verb, the resource and what it is for; and nothing is bought', async () => {
    const world = await startHostWorld(kube);
    await without(
      kube,
      'nodes',
      await kube.tokenFor({ namespace: 'poolwright', name: 'poolwright-host' }),
      world.leaseName,
    );
    const host = await world.startHost();
    const name = freshName('refused');
    await world.createClaim(name);
    await world.until(() => world.log.lines.some(({ event }) => event === 'owner.read-only'));

    const said = world.log.lines.find(({ event }) => event === 'owner.read-only');
    expect(said?.fields.reason).toBe('ClusterNotUsable');
    expect(said?.fields.why).toMatch(/may not get, list, watch, patch, delete nodes \(registers a node/);
    const ready = await fetch(`${host.url}/readyz`);
    expect(ready.status).toBe(503);
    expect(world.cloud.living).toBe(0);
    await world.api.delete(nodeClaims, { name }, {});
  });

  it('of a bridge are all used, and let it change nothing', async () => {
    const { api, rights } = await anAccount(kube, 'bridge');
    const abort = new AbortController();
    const classes = kindsOf(manifests).map((one) => ({ ...one, namespaced: false }));
    const bridge = startBridge({
      cluster: 'kube',
      api,
      to: { name: 'nowhere', send: async () => {} },
      bookmarks: { read: async () => undefined, write: async () => {} },
      nodeClasses: classes,
      requests: true,
      clock: systemClock,
      ids: systemIds,
      random: systemRandom,
      log: silentLog,
      signal: abort.signal,
    });
    await expect.poll(() => bridge.status.synced.size).toBe(4 + classes.length);
    const asked = () => requestsOf(kube.auditLog, 'system:serviceaccount:poolwright:poolwright-bridge');
    await expect.poll(() => unusedOf(rights, asked())).toEqual([]);
    abort.abort();
    await bridge.ended;
    expect(asked().filter(({ code }) => code === 403)).toEqual([]);

    const refused = await checkRights(api, rightsOf(usualRights).provisioner);
    expect(refused.join('\n')).toContain('may not get, create, patch, delete nodeclaims.karpenter.sh');
    expect(await api.delete(nodes, { name: 'any' }, {})).toMatchObject({ error: { kind: 'unauthorised' } });
  });

  it('of people are what the list says, no less and no more', async () => {
    for (const account of ['reader', 'operator', 'installer'] as const) {
      const api = await aPerson(kube, account);
      const listed = rightsOf(usualRights)[account];
      await expect.poll(() => checkRights(api, listed)).toEqual([]);
      if (account === 'reader') {
        const refused = await checkRights(api, rightsOf(usualRights).operator);
        expect(refused.join('\n')).toContain('may not create, patch, delete nodeclaims.karpenter.sh');
      }
    }
  });

  it('of requests for clusters are all used, and nothing else is asked for', async () => {
    await applyRights(kube, 'requests', usualRights);
    const { api } = await anAccount(kube, 'provisioner');
    const { requests } = rightsOf(usualRights);
    await expect.poll(() => checkRights(api, requests)).toEqual([]);
    const before = requestsOf(kube.auditLog, 'system:serviceaccount:poolwright:poolwright-host').length;
    const operatorApi = kube.connect();
    onTestFinished(() => operatorApi.close());
    const world = await requestWorld({
      clients: { api, operatorApi },
      now: Date.now(),
      place: { notifier: { notify: (notice, signal) => emitNoticeEvent(api, notice, signal) } },
    });
    onTestFinished(() => world.close());
    // Between them they need every kind of the operator, and the Flux of the management cluster.
    const gitOps = { url: 'https://example.com/fleet', public: true } as const;
    const network = `/subscriptions/${operatorSubscription}/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v`;
    const subnetID = `${network}/subnets/one`;
    await world.create({
      nodes: 'agentPools',
      gitOps,
      network: { subnetID },
      identity: { federatedCredentials: [{ name: 'one', serviceAccount: 'a/b' }] },
    });
    await world.create({ gitOps: { ...gitOps, mode: 'remote' }, lifetime: '30m' }, 'short');
    await world.until(
      async () => (await world.ready()) === 'True Ready' && (await world.ready('short')) === 'True Ready',
    );
    // Another pool takes the place of the first.
    await world.change({ nodePool: { type: 'memory-optimized' } });
    await world.pass(1, 1);
    await world.until(async () => (await world.ready()) === 'True Ready');
    await world.delete();
    await world.until(
      async () => (await world.get()) === undefined && (await world.get('short')) === undefined,
      14_400,
    );
    const asked = () => requestsOf(kube.auditLog, 'system:serviceaccount:poolwright:poolwright-host').slice(before);
    // The watch of a host, which this test has none of.
    await expect.poll(() => unusedOf(requests, asked())).toEqual(['watch clusterrequests']);
    expect(asked().filter(({ code }) => code === 403)).toEqual([]);
  });

  it('of Providers are all used, and nothing else is asked for', async () => {
    await applyRights(kube, 'providers', usualRights);
    const { api } = await anAccount(kube, 'provisioner');
    const { providers } = rightsOf(usualRights);
    await expect.poll(() => checkRights(api, providers)).toEqual([]);
    const before = requestsOf(kube.auditLog, 'system:serviceaccount:poolwright:poolwright-host').length;
    const world = await providerWorld(kube, freshName('machines'), api);
    onTestFinished(() => world.close());
    await world.apply('one', {}, { annotations: { 'poolwright.dev/network-policy': 'true' } });
    await world.round();
    await world.apply('one', {});
    await world.round();
    await world.addPod('one');
    await world.round();
    // The authority is about to run out, and another one takes its place.
    world.now += 9.5 * 365 * 24 * 3_600_000;
    await world.round();
    await world.apply('one', { runtime: { image: 'registry.example.com/provider:2' } });
    await world.round();
    const asked = () => requestsOf(kube.auditLog, 'system:serviceaccount:poolwright:poolwright-host').slice(before);
    await expect.poll(() => unusedOf(providers, asked())).toEqual([]);
    expect(asked().filter(({ code }) => code === 403)).toEqual([]);
  });

  const make = async (world: HostWorld, resource: Resource, object: { [key: string]: Json }): Promise<void> => {
    const { group, version, kind } = resource;
    const apiVersion = group === '' ? version : `${group}/${version}`;
    const made = await world.api.create(resource, { apiVersion, kind, ...object });
    if (!made.ok) throw new Error(made.error.message);
  };

  const aNode = async (world: HostWorld, name: string, spec: { [key: string]: Json } = {}): Promise<string> => {
    await world.createClaim(name, spec);
    await world.until(async () => isTrue(await world.claim(name), 'Ready'));
    return (await world.claim(name))?.status?.nodeName ?? '';
  };

  const aPod = (world: HostWorld, name: string, nodeName: string, spec: { [key: string]: Json }): Promise<void> =>
    make(world, pods, {
      metadata: { name, namespace: 'default' },
      spec: { nodeName, containers: [{ name: 'c', image: 'i' }], ...spec },
    });

  const end = async (world: HostWorld, name: string): Promise<void> => {
    await world.api.delete(nodeClaims, { name }, {});
    await world.until(async () => (await world.claim(name)) === undefined);
  };

  /** A pod that goes, and one that stays to the end with its volume. */
  async function drained(world: HostWorld): Promise<void> {
    const name = freshName('drained');
    const nodeName = await aNode(world, name);
    await aPod(world, `${name}-goes`, nodeName, { terminationGracePeriodSeconds: 0 });
    const volume = { name: 'v', persistentVolumeClaim: { claimName: name } };
    await aPod(world, `${name}-stays`, nodeName, { tolerations: [{ operator: 'Exists' }], volumes: [volume] });
    await make(world, persistentVolumeClaims, {
      metadata: { name, namespace: 'default' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, volumeName: name },
    });
    await make(world, volumeAttachments, {
      metadata: { name },
      spec: { attacher: 'a.example', nodeName, source: { persistentVolumeName: name } },
    });
    await end(world, name);
  }

  /** A pod that would take longer than the claim allows. */
  async function forced(world: HostWorld): Promise<void> {
    const name = freshName('forced');
    const nodeName = await aNode(world, name, { terminationGracePeriod: '3s' });
    await aPod(world, `${name}-slow`, nodeName, { terminationGracePeriodSeconds: 600 });
    await end(world, name);
  }

  /** What can't be had is tried again, and the same news is one Event that counts. */
  async function impossible(world: HostWorld): Promise<void> {
    const name = freshName('impossible');
    await world.createClaim(name, {
      requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['no-such-type'] }],
    });
    const counted = async (): Promise<boolean> => {
      const listed = await world.api.list<KubeObject & { count?: number }>(events, { namespace: 'default' });
      return listed.ok && listed.value.items.some(({ count = 1 }) => count > 1);
    };
    await world.until(counted);
    await end(world, name);
  }

  /** One claim kept, then none. */
  async function staticPool(world: HostWorld): Promise<void> {
    const name = freshName('pool');
    const nodeClassRef = { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' };
    const made = await world.api.create(nodePools, {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name },
      spec: { replicas: 1, template: { spec: { nodeClassRef, requirements: [] } } },
    });
    if (!made.ok) throw new Error(made.error.message);
    const ofPool = async () => {
      const listed = await world.api.list<StoredClaim>(nodeClaims, { labelSelector: `karpenter.sh/nodepool=${name}` });
      return listed.ok ? listed.value.items : [];
    };
    await world.until(async () => isTrue((await ofPool())[0], 'Ready'));
    await world.api.mergePatch(nodePools, { name }, { spec: { replicas: 0 } });
    await world.until(async () => (await ofPool()).length === 0);
    await world.api.delete(nodePools, { name }, {});
  }
});

const scratch = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'poolwright-rights-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
};

/** Of a deployment that is long gone. */
const heldLease = (name: string): Json => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { namespace: 'kube-system', name },
  spec: { holderIdentity: 'another/id', leaseDurationSeconds: 10, renewTime: '2026-01-01T00:00:00.000000Z' },
});

const aClaim = (name: string): Json => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: { name },
  spec: { nodeClassRef: { group: 'other.example', kind: 'Other', name: 'x' }, requirements: [] },
});

async function anAccount(kube: KubeApiserver, account: 'bridge' | 'provisioner') {
  const made = await productAccount(kube, account, scratch());
  const api = kube.connect({ token: made.token });
  onTestFinished(() => api.close());
  return { ...made, api };
}

/** Somebody whom an administrator has given one of the roles for people. */
async function aPerson(kube: KubeApiserver, account: 'reader' | 'operator' | 'installer') {
  await applyRights(kube, account, usualRights);
  const name = freshName(account);
  const labels = {};
  const person = { kind: 'ServiceAccount' as const, namespace: 'poolwright', name };
  await kube.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: 'poolwright', name } });
  for (const { apiVersion, kind, metadata } of rbacObjects(account, usualRights)) {
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind, name: metadata.name };
    const at = { name, labels, ...defined({ namespace: metadata.namespace }) };
    await kube.apply({ apiVersion, kind: `${kind}Binding`, metadata: at, roleRef, subjects: [person] });
  }
  const api = kube.connect({ token: await kube.tokenFor(person) });
  onTestFinished(() => api.close());
  return api;
}

/** Takes away everything about one resource, and waits until the server heeds it. */
async function without(kube: KubeApiserver, resource: string, token: string, leaseName = 'poolwright'): Promise<void> {
  const options = { ...usualRights, lease: { namespace: 'kube-system', name: leaseName } };
  const lost = rightsOf(options).provisioner.filter((right) => right.resource === resource);
  const roles = rbacObjects('provisioner', options).filter(({ kind }) => kind === 'ClusterRole');
  const rules = roles.flatMap((role) => role.rules ?? []).filter((rule) => !rule.resources.includes(resource));
  await kube.apply(...roles.map((role) => ({ ...role, rules })));
  const api = kube.connect({ token });
  try {
    await expect.poll(async () => (await checkRights(api, lost)).length).toBe(lost.length);
  } finally {
    api.close();
  }
}

interface Asked {
  verb: string;
  group: string;
  resource: string;
  namespace: string | undefined;
  name: string | undefined;
  code: number;
}

function requestsOf(auditLog: string, user: string): Asked[] {
  return readFileSync(auditLog, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .filter((line) => line.user?.username === user && line.objectRef?.resource !== 'selfsubjectaccessreviews')
    .map(({ verb, objectRef: ref = {}, responseStatus }) => ({
      verb,
      group: ref.apiGroup ?? '',
      resource: ref.subresource === undefined ? ref.resource : `${ref.resource}/${ref.subresource}`,
      namespace: ref.namespace,
      name: ref.name,
      code: responseStatus?.code,
    }));
}

const unusedOf = (rights: readonly Right[], asked: readonly Asked[]): string[] =>
  rights.flatMap((right) =>
    right.verbs
      .filter((verb) => !asked.some((one) => isUse(one, right, verb)))
      .map((verb) => `${verb} ${right.resource}`),
  );

/** An apply that creates is called a patch, and needs both rights. */
const isUse = (asked: Asked, { group, resource, namespace, names }: Right, verb: Verb): boolean =>
  (asked.verb === verb || (verb === 'create' && asked.verb === 'patch' && asked.code === 201)) &&
  asked.group === group &&
  asked.resource === resource &&
  (namespace === undefined || asked.namespace === namespace) &&
  (names === undefined || names.includes(asked.name ?? ''));
