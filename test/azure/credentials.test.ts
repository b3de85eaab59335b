/** The ways to a token, by the real identity library against a stand-in for Entra ID. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../shared/base/runtime.ts';
import { type AzureConnection, connectAzure } from '../../shared/platforms/azure/connection.ts';
import { type AzureOptions, readAzureOptions } from '../../shared/providers/agent-pools/options.ts';
import { createAksAgentPools } from '../../shared/providers/aks/client/agent-pools.ts';
import { type Azure, startAzure } from '../../sim/azure/start.ts';

const signal = new AbortController().signal;
const folder = mkdtempSync(join(tmpdir(), 'poolwright-credentials-'));
let azure: Azure;
const open: AzureConnection<AzureOptions>[] = [];

beforeAll(async () => {
  azure = await startAzure();
});
afterEach(() => {
  for (const connection of open.splice(0)) connection.close();
  vi.unstubAllEnvs();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await azure.close();
});

function connect(
  credential: object,
  more: { tenant?: string; env?: Record<string, string> } = {},
): AzureConnection<AzureOptions> {
  const [cluster] = azure.clusters;
  const options = readAzureOptions(
    {
      subscription: azure.subscription,
      resourceGroup: cluster?.resourceGroup ?? '',
      clusterName: cluster?.name ?? '',
      tenant: more.tenant ?? azure.tenant,
      credential: JSON.parse(JSON.stringify(credential)),
      cloud: { authorityHost: azure.authority, armEndpoint: azure.url, audience: 'https://management.azure.com' },
      certificateAuthority: azure.certificate,
    },
    more.env ?? {},
  );
  if (!options.ok) throw new Error(options.error.message);
  const connection = connectAzure(options.value, { clock: systemClock, env: more.env ?? {} });
  open.push(connection);
  return connection;
}

function list(connection: AzureConnection<AzureOptions>) {
  const { subscription, resourceGroup, clusterName = '' } = connection.options;
  return createAksAgentPools(connection, { subscription, resourceGroup, clusterName }).list(undefined, signal);
}

describe('a token is had', () => {
  it('by workload identity, with the file as it is at that moment', async () => {
    const tokenFile = join(folder, 'federated');
    const assertion = (subject: string): string =>
      [{ alg: 'none' }, { sub: subject, aud: 'api://AzureADTokenExchange', iss: 'https://issuer' }, {}]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.');
    const connection = connect({ type: 'workload-identity', clientId: azure.clientId, tokenFile });
    expect(await list(connection)).toMatchObject({
      error: { kind: 'unauthorised', message: expect.stringContaining(`${tokenFile} cannot be read (ENOENT)`) },
    });
    writeFileSync(tokenFile, assertion('system:serviceaccount:poolwright:poolwright'));
    // A refusal is remembered for some seconds, so somebody else asks.
    const other = connect({ type: 'workload-identity', clientId: azure.clientId, tokenFile });
    expect(await list(other)).toMatchObject({ ok: true });
  });

  it('by a client secret out of a variable or a file', async () => {
    const env = { AZURE_CLIENT_SECRET: azure.secret };
    expect(await list(connect({ type: 'client-secret', clientId: azure.clientId }, { env }))).toMatchObject({
      ok: true,
    });
    const secretFile = join(folder, 'secret');
    writeFileSync(secretFile, `${azure.secret}\n`);
    const byFile = connect({ type: 'client-secret', clientId: azure.clientId, secretFile });
    expect(await list(byFile)).toMatchObject({ ok: true });
  });

  it('by the managed identity of an app', async () => {
    for (const [name, value] of Object.entries(azure.appIdentity)) vi.stubEnv(name, value);
    expect(await list(connect({ type: 'managed-identity' }))).toMatchObject({ ok: true });
  });

  it('by the default credential, as a developer has it', async () => {
    const env = { AZURE_TENANT_ID: azure.tenant, AZURE_CLIENT_ID: azure.clientId, AZURE_CLIENT_SECRET: azure.secret };
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    expect(await list(connect({ type: 'default' }, { env }))).toMatchObject({ ok: true });
  });

  it('anew, once, when the old one is void', async () => {
    const env = { AZURE_CLIENT_SECRET: azure.secret };
    const connection = connect({ type: 'client-secret', clientId: azure.clientId }, { env });
    expect(await list(connection)).toMatchObject({ ok: true });
    azure.revokeTokens();
    await new Promise((resolve) => setTimeout(resolve, 2));
    expect(await list(connection)).toMatchObject({ ok: true });
  });
});

describe('what keeps us from a token is named', () => {
  const secret = (more: { tenant?: string; clientId?: string; value?: string }) =>
    connect(
      { type: 'client-secret', clientId: more.clientId ?? azure.clientId },
      { ...more, env: { AZURE_CLIENT_SECRET: more.value ?? azure.secret } },
    );

  it('when the secret is wrong, without showing it', async () => {
    const answer = await list(secret({ value: 'wrong-secret-value' }));
    expect(answer).toMatchObject({
      error: { kind: 'unauthorised', message: expect.stringContaining('the client secret is wrong') },
    });
    expect(JSON.stringify(answer)).not.toContain('wrong-secret-value');
  });

  it('when there is no such tenant', async () => {
    const answer = await list(secret({ tenant: '99999999-9999-4999-8999-999999999999' }));
    expect(answer).toMatchObject({ error: { kind: 'unauthorised', message: expect.stringMatching(/tenant/) } });
  });

  it('when the tenant knows no such identity', async () => {
    const answer = await list(secret({ clientId: '99999999-9999-4999-8999-999999999999' }));
    expect(answer).toMatchObject({
      error: { kind: 'unauthorised', message: expect.stringContaining('AZURE_CLIENT_ID') },
    });
  });

  it('when no identity is assigned to the app', async () => {
    for (const [name, value] of Object.entries(azure.appIdentity)) vi.stubEnv(name, value);
    const answer = await list(connect({ type: 'managed-identity', clientId: '99999999-9999-4999-8999-999999999999' }));
    expect(answer).toMatchObject({
      error: { kind: 'unauthorised', message: expect.stringContaining('is not assigned to this app or VM') },
    });
  });

  it('when nothing answers, as unavailable', async () => {
    const gone = await startAzure();
    const { authority } = gone;
    await gone.close();
    const connection = secret({});
    const moved = connectAzure(
      { ...connection.options, cloud: { ...connection.options.cloud, authorityHost: authority } },
      { clock: systemClock, env: { AZURE_CLIENT_SECRET: azure.secret } },
    );
    open.push(moved);
    expect(await list(moved)).toMatchObject({ error: { kind: 'unavailable' } });
  });
});
