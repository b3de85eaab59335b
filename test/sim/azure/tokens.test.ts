import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClientAssertionCredential, WorkloadIdentityCredential } from '@azure/identity';
import { expect, onTestFinished, test } from 'vitest';
import { manualClock } from '../../../shared/base/runtime.ts';
import { defaultPrincipal } from '../../../sim/azure/identity/tokens.ts';
import { aksClient, all, identityOptions, rawClient, refusal, secretCredential, standIn } from './stand-in.ts';

const scope = 'https://management.azure.com/.default';
const pools =
  '/subscriptions/11111111-1111-4111-8111-111111111111/resourceGroups/poolwright/providers/Microsoft.ContainerService/managedClusters/aks-demo/agentPools?api-version=2026-06-01';

const assertion = (subject: string): string =>
  [{ alg: 'none' }, { sub: subject }].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.') +
  '.x';

test('ARM refuses who shows no token, a token of nobody, an old one or one for something else', async () => {
  const tokenClock = manualClock();
  const { azure } = await standIn({ tokenClock, settings: { tokenSeconds: 60 } });
  const ask = async (token: string) => {
    const credential = { getToken: async () => ({ token, expiresOnTimestamp: Date.now() + 3_600_000 }) };
    const { status, header, body } = await rawClient(azure, credential)('GET', pools);
    return [status, (body.error as { code: string } | undefined)?.code, header('www-authenticate')?.split('"')[1]];
  };
  const { token } = await secretCredential(azure).getToken(scope);
  const authority = `${azure.authority}/${azure.tenant}`;
  expect(await ask('eyJ.eyJ.x')).toEqual([401, 'InvalidAuthenticationToken', authority]);
  expect((await ask(token))[0]).toBe(200);
  const { token: other } = await secretCredential(azure).getToken('6dae42f8-4368-4678-94ff-3960e28e3630/.default');
  expect(await ask(other)).toEqual([401, 'InvalidAuthenticationTokenAudience', authority]);
  expect(azure.checkToken(`Bearer ${other}`)).toMatchObject({
    ok: true,
    facts: { audience: '6dae42f8-4368-4678-94ff-3960e28e3630' },
  });
  tokenClock.advance(60_000);
  expect(await ask(token)).toEqual([401, 'ExpiredAuthenticationToken', authority]);
});

test('revoked tokens are refused, and fresh ones work', async () => {
  const tokenClock = manualClock();
  const { azure } = await standIn({ tokenClock });
  const before = rawClient(azure);
  expect((await before('GET', pools)).status).toBe(200);
  azure.revokeTokens();
  expect((await before('GET', pools)).status).toBe(401);
  tokenClock.advance(1);
  expect((await rawClient(azure)('GET', pools)).status).toBe(200);
});

test.each([
  ['an unknown tenant', { tenant: '99999999-9999-4999-8999-999999999999' }, /AADSTS90002|endpoints_resolution|openid/i],
  ['an unknown application', { clientId: '99999999-9999-4999-8999-999999999999' }, /AADSTS700016/],
  ['a wrong secret', { secret: 'guessed' }, /AADSTS7000215/],
])('%s gets no token', async (_, given, text) => {
  const { azure } = await standIn();
  await expect(secretCredential(azure, given).getToken(scope)).rejects.toThrow(text);
});

test('an assertion stands for the application that trusts its subject', async () => {
  const { azure } = await standIn({ principals: [{ ...defaultPrincipal, federated: ['system:serviceaccount:a:b'] }] });
  const sign = (subject: string) =>
    new ClientAssertionCredential(azure.tenant, azure.clientId, async () => assertion(subject), identityOptions(azure));
  await expect(sign('system:serviceaccount:a:other').getToken(scope)).rejects.toThrow(/AADSTS70021/);
  expect((await rawClient(azure, sign('system:serviceaccount:a:b'))('GET', pools)).status).toBe(200);
});

test('workload identity reads its assertion from a file', async () => {
  const { azure } = await standIn();
  const folder = mkdtempSync(join(tmpdir(), 'poolwright-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const tokenFilePath = join(folder, 'token');
  writeFileSync(tokenFilePath, assertion('anybody'));
  const credential = new WorkloadIdentityCredential({
    ...identityOptions(azure),
    tenantId: azure.tenant,
    clientId: azure.clientId,
    tokenFilePath,
  });
  expect((await rawClient(azure, credential)('GET', pools)).status).toBe(200);
});

test('the authority describes itself to those who ask whether it is one', async () => {
  const { azure } = await standIn();
  const arm = rawClient(azure);
  const { host } = new URL(azure.authority);
  expect((await arm('GET', '/common/discovery/instance?api-version=1.1')).body).toMatchObject({
    metadata: [{ preferred_network: host, aliases: [host] }],
  });
  expect((await arm('GET', `/${azure.tenant}/v2.0/.well-known/openid-configuration`)).body).toMatchObject({
    issuer: `${azure.authority}/${azure.tenant}/v2.0`,
    token_endpoint: `${azure.authority}/${azure.tenant}/oauth2/v2.0/token`,
  });
});

test('whoever comes under another name than loopback is turned away', async () => {
  const { azure } = await standIn();
  const [answer] = await once(get(azure.control, { headers: { host: 'a.page.example' } }), 'response');
  answer.resume();
  expect(answer.statusCode).toBe(403);
});

test('a principal without a role hears which action it lacks, and over what', async () => {
  const denied = ['Microsoft.ContainerService/managedClusters/agentPools/write', 'Microsoft.Compute/*'];
  const { azure, aks } = await standIn({ principals: [{ ...defaultPrincipal, denied }] });
  expect(await all(aks.agentPools.list('poolwright', 'aks-demo'))).toEqual([]);
  const put = aksClient(azure).agentPools.createOrUpdate('poolwright', 'aks-demo', 'one', {
    vmSize: 'Standard_D2s_v5',
  });
  const { status, code, message } = await refusal(put.submitted());
  expect([status, code]).toEqual([403, 'AuthorizationFailed']);
  expect(message).toContain(
    "action 'Microsoft.ContainerService/managedClusters/agentPools/write' over scope '/subscriptions/",
  );
  const skus = `/subscriptions/${azure.subscription}/providers/Microsoft.Compute/skus?api-version=2021-07-01`;
  expect((await rawClient(azure)('GET', skus)).status).toBe(403);
});
