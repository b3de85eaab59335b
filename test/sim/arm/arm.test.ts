/** The stand-in for Azure Resource Manager, before the real client for AKS and as it comes over the wire. */
import { ContainerServiceClient, type ManagedCluster } from '@azure/arm-containerservice';
import { ClientSecretCredential } from '@azure/identity';
import { describe, expect, it, onTestFinished } from 'vitest';
import { countingIds, manualClock } from '../../../shared/base/runtime.ts';
import { createHttpClient } from '../../../shared/net/http-client.ts';
import { type Arm, type ArmOptions, startArm } from '../../../sim/arm/arm.ts';
import { selfSigned } from '../../../sim/kit/self-signed.ts';

const certificate = selfSigned('the stand-in for ARM');

async function standIn(options: ArmOptions = {}) {
  const clock = manualClock(Date.UTC(2026, 10, 19));
  const arm = await startArm({ clock, ids: countingIds(), certificate, wakeByItself: false, ...options });
  onTestFinished(() => arm.close());
  const credential = new ClientSecretCredential(arm.tenant, arm.clientId, arm.secret, {
    authorityHost: arm.url,
    disableInstanceDiscovery: true,
    tlsOptions: { ca: arm.certificate },
  });
  const client = new ContainerServiceClient(credential, arm.subscription, {
    endpoint: arm.url,
    tlsOptions: { ca: arm.certificate },
    retryOptions: { maxRetries: 0 },
  });
  const { token } = await credential.getToken('https://management.azure.com/.default');
  const http = createHttpClient({ baseUrl: arm.url, ca: arm.certificate, userAgent: 'test' });
  onTestFinished(() => http.close());
  const ask = async (
    method: 'GET' | 'PUT' | 'PATCH' | 'POST' | 'DELETE',
    path: string,
    body?: object,
    headers = {},
  ) => {
    const answer = await http.request({
      method,
      path: `${path}${path.includes('?') ? '&' : '?'}api-version=2021-04-01`,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
      timeoutMs: 20_000,
    });
    if (!answer.ok) throw new Error(answer.message);
    return {
      status: answer.status,
      headers: answer.headers,
      body: answer.text === '' ? undefined : JSON.parse(answer.text),
    };
  };
  return { arm, clock, client, ask };
}

const group = (arm: Arm, name = 'rg'): string => `/subscriptions/${arm.subscription}/resourceGroups/${name}`;
const clusterOf = (arm: Arm, name = 'web'): string =>
  `${group(arm)}/providers/Microsoft.ContainerService/managedClusters/${name}`;
const wanted: ManagedCluster = {
  location: 'westeurope',
  dnsPrefix: 'web',
  kubernetesVersion: '1.35',
  identity: { type: 'SystemAssigned' },
  oidcIssuerProfile: { enabled: true },
  agentPoolProfiles: [{ name: 'systempool', mode: 'System', count: 2, vmSize: 'Standard_D4s_v5' }],
  tags: { owner: 'us' },
};

describe('the stand-in for Azure Resource Manager', () => {
  it('makes a cluster for the real client, and shows it as the client knows it', async () => {
    const { arm, ask, client } = await standIn({ settings: { durations: { group: 0, cluster: 0 } } });
    expect((await ask('PUT', group(arm), { location: 'westeurope' })).status).toBe(201);
    const poller = client.managedClusters.createOrUpdate('rg', 'web', wanted, { updateIntervalInMs: 1 });
    expect(await poller).toMatchObject({ provisioningState: 'Succeeded', dnsPrefix: 'web' });
    const made = await client.managedClusters.get('rg', 'web');
    expect(made).toMatchObject({
      id: clusterOf(arm),
      location: 'westeurope',
      currentKubernetesVersion: '1.35.4',
      nodeResourceGroup: 'MC_rg_web_westeurope',
      oidcIssuerProfile: { enabled: true, issuerURL: expect.stringContaining('https://westeurope.oic') },
      identity: { type: 'SystemAssigned', principalId: expect.any(String) },
      eTag: expect.any(String),
    });
    const credentials = await client.managedClusters.listClusterAdminCredentials('rg', 'web');
    expect(Buffer.from(credentials.kubeconfigs?.[0]?.value ?? '').toString()).toContain('clusters:');
  });

  it('takes time, shows the operation, and does one thing at a time in a cluster', async () => {
    const { arm, ask, clock } = await standIn();
    await ask('PUT', group(arm), { location: 'westeurope' });
    clock.advance(10_000);
    const { properties, tags, location } = {
      properties: { dnsPrefix: 'web', agentPoolProfiles: wanted.agentPoolProfiles },
      tags: {},
      location: 'westeurope',
    };
    const begun = await ask('PUT', clusterOf(arm), { location, tags, properties });
    expect(begun).toMatchObject({ status: 201, body: { properties: { provisioningState: 'Creating' } } });
    const operation = new URL(String(begun.headers['azure-asyncoperation'])).pathname;
    expect((await ask('GET', operation)).body).toMatchObject({ status: 'InProgress' });
    const busy = await ask('PUT', `${clusterOf(arm)}/agentPools/more`, { properties: { vmSize: 'Standard_D4s_v5' } });
    expect(busy).toMatchObject({ status: 409, body: { error: { code: 'OperationNotAllowed' } } });
    clock.advance(301_000);
    expect((await ask('GET', operation)).body).toMatchObject({ status: 'Succeeded' });
    expect((await ask('GET', clusterOf(arm))).body.properties.provisioningState).toBe('Succeeded');
  });

  it('says how an operation has failed, at the operation and at the resource', async () => {
    const { arm, ask, clock } = await standIn({
      faults: [
        { on: 'PUT', type: 'managedClusters', do: { kind: 'operation-fails', code: 'QuotaExceeded', message: 'no' } },
      ],
    });
    await ask('PUT', group(arm), { location: 'westeurope' });
    clock.advance(10_000);
    const begun = await ask('PUT', clusterOf(arm), {
      location: 'westeurope',
      properties: { dnsPrefix: 'web', agentPoolProfiles: wanted.agentPoolProfiles },
    });
    clock.advance(301_000);
    const { pathname } = new URL(String(begun.headers['azure-asyncoperation']));
    expect((await ask('GET', pathname)).body).toMatchObject({ status: 'Failed', error: { code: 'QuotaExceeded' } });
    expect((await ask('GET', clusterOf(arm))).body.properties).toMatchObject({
      provisioningState: 'Failed',
      status: { provisioningError: { error: { code: 'QuotaExceeded', message: 'no' } } },
    });
  });

  it.each([
    [
      'a group that is not there',
      404,
      'ResourceGroupNotFound',
      (arm: Arm) => ['GET', clusterOf(arm), undefined] as const,
    ],
    [
      'a write into a group that is not there',
      404,
      'ResourceGroupNotFound',
      (arm: Arm) => ['PUT', clusterOf(arm), { location: 'westeurope' }] as const,
    ],
    ['a body that is none', 400, 'InvalidRequestContent', (arm: Arm) => ['PUT', group(arm), undefined] as const],
    [
      'a path that nothing has',
      404,
      'InvalidResourceType',
      (arm: Arm) => ['GET', `${group(arm)}/odd/x`, undefined] as const,
    ],
  ])('%s is refused with %i %s', async (_, status, code, call) => {
    const { arm, ask } = await standIn();
    const [method, path, body] = call(arm);
    expect(await ask(method, path, body)).toMatchObject({ status, body: { error: { code } } });
  });

  it('believes no token but its own', async () => {
    const { arm, ask } = await standIn();
    const answer = await ask('GET', group(arm), undefined, { authorization: 'Bearer x.y.z' });
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([
      401,
      expect.stringContaining('invalid_token'),
    ]);
  });

  it('keeps the conditions of a write to a cluster', async () => {
    const { arm, ask } = await standIn({ settings: { durations: { group: 0, cluster: 0, update: 0 } } });
    await ask('PUT', group(arm), { location: 'westeurope' });
    const body = {
      location: 'westeurope',
      properties: { dnsPrefix: 'web', agentPoolProfiles: wanted.agentPoolProfiles },
    };
    expect((await ask('PUT', clusterOf(arm), body, { 'if-match': 'x' })).status).toBe(412);
    expect((await ask('PUT', clusterOf(arm), body, { 'if-none-match': '*' })).status).toBe(201);
    expect((await ask('PUT', clusterOf(arm), body, { 'if-none-match': '*' })).status).toBe(412);
    const { eTag } = (await ask('GET', clusterOf(arm))).body;
    expect((await ask('PUT', clusterOf(arm), body, { 'if-match': 'x' })).status).toBe(412);
    expect((await ask('PUT', clusterOf(arm), body, { 'if-match': eTag })).status).toBe(200);
  });

  it('writes tags beside a resource, and finds things by them, page by page and in any case', async () => {
    const { arm, ask } = await standIn({ pageSize: 2, settings: { durations: { group: 0 } } });
    for (const name of ['a', 'b', 'c'])
      await ask('PUT', group(arm, name), { location: 'westeurope', tags: { Team: 'x', n: name } });
    await ask('PUT', group(arm, 'd'), { location: 'westeurope' });
    const tags = `${group(arm, 'd')}/providers/Microsoft.Resources/tags/default`;
    await ask('PATCH', tags, { operation: 'Merge', properties: { tags: { team: 'x', more: 'y' } } });
    await ask('PATCH', tags, { operation: 'Delete', properties: { tags: { more: 'y', team: 'other' } } });
    expect((await ask('GET', group(arm, 'd'))).body.tags).toEqual({ team: 'x' });
    const names: string[] = [];
    const filter = encodeURIComponent("tagName eq 'team' and tagValue eq 'x'");
    let path: string | undefined = `/subscriptions/${arm.subscription}/resourcegroups?$filter=${filter}`;
    while (path !== undefined) {
      const { body } = await ask('GET', path);
      expect(body.value.length).toBeLessThanOrEqual(2);
      names.push(...body.value.map((one: { name: string }) => one.name));
      const next: URL | undefined = body.nextLink === undefined ? undefined : new URL(body.nextLink);
      next?.searchParams.delete('api-version');
      path = next && `${next.pathname}${next.search}`;
    }
    expect(names).toEqual(['a', 'b', 'c', 'd']);
  });

  it('is the same world after a restart', async () => {
    const { mkdtempSync, rmSync } = await import('node:fs');
    const { tmpdir } = await import('node:os');
    const { join } = await import('node:path');
    const directory = mkdtempSync(join(tmpdir(), 'arm-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const first = await standIn({ directory, settings: { durations: { group: 0 } } });
    await first.ask('PUT', group(first.arm), { location: 'westeurope', tags: { a: 'b' } });
    await first.arm.close();
    const second = await standIn({ directory });
    expect((await second.ask('GET', group(second.arm))).body).toMatchObject({ tags: { a: 'b' } });
  });

  it('the same seed strikes the same requests', async () => {
    const strikes = async (seed: number): Promise<number[]> => {
      const { arm, ask } = await standIn({
        seed,
        faults: [
          {
            on: 'GET',
            type: 'resourceGroups',
            probability: 0.5,
            do: { kind: 'refused', status: 503, code: 'x', message: 'y' },
          },
        ],
      });
      const seen: number[] = [];
      for (let time = 0; time < 12; time++) seen.push((await ask('GET', group(arm))).status);
      return seen;
    };
    const [one, again, other] = [await strikes(1), await strikes(1), await strikes(2)];
    expect(one).toEqual(again);
    expect(one).not.toEqual(other);
    expect(new Set(one)).toEqual(new Set([404, 503]));
  });
});
