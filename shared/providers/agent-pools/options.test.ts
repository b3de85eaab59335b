import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Json } from '../../base/json.ts';
import { readAzureOptions } from './options.ts';

const subscription = '11111111-1111-4111-8111-111111111111';
const tenant = '22222222-2222-4222-8222-222222222222';
/** As gpu-provisioner's chart sets it. */
const seed = {
  ARM_SUBSCRIPTION_ID: subscription,
  ARM_RESOURCE_GROUP: 'gpu',
  AZURE_CLUSTER_NAME: 'east',
  AZURE_TENANT_ID: tenant,
  AZURE_CLIENT_ID: 'client',
  LOCATION: 'eastus',
  AZURE_FEDERATED_TOKEN_FILE: '/var/run/token',
};
const read = (options: Json, env: Record<string, string> = {}) => {
  const result = readAzureOptions(options, env);
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
};
const problem = (options: Json, env: Record<string, string> = {}): string => {
  const result = readAzureOptions(options, env);
  return result.ok ? '' : result.error.message;
};
const place = { subscription, resourceGroup: 'gpu' };

describe('the environment of gpu-provisioner', () => {
  it('is enough', () => {
    expect(read({}, seed)).toEqual({
      clusterMayBeAbsent: false,
      subscription,
      resourceGroup: 'gpu',
      clusterName: 'east',
      location: 'eastus',
      tenant,
      credential: { type: 'workload-identity', tenant, clientId: 'client', tokenFile: '/var/run/token' },
      cloud: expect.objectContaining({ armEndpoint: 'https://management.azure.com' }),
      operationsAtOnce: 1,
      unlabelledAksNodeClasses: false,
      prices: true,
    });
  });

  it('gives way to the configuration', () => {
    expect(read({ resourceGroup: 'other', clusterName: 'west' }, seed)).toMatchObject({
      resourceGroup: 'other',
      clusterName: 'west',
    });
  });

  it('may name the region as people do', () => {
    expect(read(place, { LOCATION: 'East US 2' }).location).toBe('eastus2');
  });

  it('means nothing where it is empty', () => {
    expect(read(place, { LOCATION: '', AZURE_CLUSTER_NAME: '' })).not.toHaveProperty('location');
  });
});

describe('every mistake is named', () => {
  it('with the field, the variable and what to do, all at once', () => {
    const text = problem({ customLocation: 'home' }, { LOCATION: 'east-us' });
    expect(text).toContain('options.subscription: is missing; set it, or ARM_SUBSCRIPTION_ID');
    expect(text).toContain('options.resourceGroup: is missing; set it, or ARM_RESOURCE_GROUP');
    expect(text).toContain('LOCATION: must be the name of a region, such as eastus; found "east-us"');
    expect(text).toContain('options.customLocation: must be the ARM id of a custom location');
  });

  it('also when a field is none', () => {
    expect(problem({ ...place, regoin: 'x' })).toContain('regoin');
    expect(problem({ ...place, operationsAtOnce: 0 })).toContain('options.operationsAtOnce');
  });

  it('and a wrong value is not called missing', () => {
    const text = problem({ resourceGroup: 'gpu' }, { ARM_SUBSCRIPTION_ID: 'mine' });
    expect(text).toBe(
      'ARM_SUBSCRIPTION_ID: must be the id of a subscription, such as 00000000-0000-0000-0000-000000000000; found "mine"',
    );
  });

  it('and a Key Vault reference that was left as it is', () => {
    const reference = '@Microsoft.KeyVault(VaultName=v;SecretName=s)';
    expect(problem(place, { AZURE_CLIENT_ID: reference })).toContain('AZURE_CLIENT_ID: is a Key Vault reference');
    expect(problem(place, { AZURE_TENANT_ID: reference })).toContain('AZURE_TENANT_ID: is a Key Vault reference');
  });
});

describe('the identity', () => {
  const typeOf = (env: Record<string, string>, credential: Json = {}) =>
    read({ ...place, tenant, credential }, env).credential;

  it('is the default one in managed mode, whatever else is there', () => {
    expect(typeOf({ ...seed, DEPLOYMENT_MODE: 'managed' })).toMatchObject({ type: 'default', clientId: 'client' });
  });

  it('is workload identity where there is a token file', () => {
    expect(typeOf({ ...seed, DEPLOYMENT_MODE: 'self-hosted' }).type).toBe('workload-identity');
    expect(typeOf(seed).type).toBe('workload-identity');
  });

  it('is missing when self-hosted without one', () => {
    expect(problem(place, { DEPLOYMENT_MODE: 'self-hosted' })).toContain('AZURE_FEDERATED_TOKEN_FILE: is missing');
    expect(problem(place, { DEPLOYMENT_MODE: 'cloud' })).toContain('DEPLOYMENT_MODE: must be managed or self-hosted');
  });

  it('is a secret, a managed identity or what a developer has, by what is there', () => {
    expect(typeOf({ AZURE_CLIENT_ID: 'c', AZURE_CLIENT_SECRET: 's' })).toEqual({
      type: 'client-secret',
      tenant,
      clientId: 'c',
      secret: { variable: 'AZURE_CLIENT_SECRET' },
    });
    expect(typeOf({ IDENTITY_ENDPOINT: 'http://x' })).toEqual({ type: 'managed-identity' });
    expect(typeOf({ IDENTITY_ENDPOINT: 'http://x', AZURE_CLIENT_ID: 'c' })).toEqual({
      type: 'managed-identity',
      clientId: 'c',
    });
    expect(typeOf({})).toEqual({ type: 'default', tenant });
  });

  it('is as the configuration says, and says what it needs', () => {
    expect(typeOf({}, { type: 'managed-identity', resourceId: '/id' })).toEqual({
      type: 'managed-identity',
      resourceId: '/id',
    });
    expect(problem({ ...place, credential: { type: 'client-secret' } })).toContain(
      'options.tenant: is missing; client-secret needs it: set it, or AZURE_TENANT_ID',
    );
    expect(problem({ ...place, tenant, credential: { type: 'workload-identity', clientId: 'c' } })).toContain(
      'options.credential.tokenFile: is missing',
    );
  });

  it('never holds the secret itself', () => {
    expect(
      JSON.stringify(read({ ...place, tenant }, { AZURE_CLIENT_ID: 'c', AZURE_CLIENT_SECRET: 'hunter2' })),
    ).not.toContain('hunter2');
  });
});

describe('the cloud', () => {
  const cloudOf = (cloud: Json, env: Record<string, string> = {}) => read({ ...place, cloud }, env).cloud;

  it('follows from its name or from its authority', () => {
    expect(cloudOf({ name: 'china' }).armEndpoint).toBe('https://management.chinacloudapi.cn');
    const env = { AZURE_AUTHORITY_HOST: 'https://login.microsoftonline.us/' };
    expect(cloudOf({}, env)).toMatchObject({
      authorityHost: 'https://login.microsoftonline.us',
      armEndpoint: 'https://management.usgovcloudapi.net',
      audience: 'https://management.usgovcloudapi.net',
    });
  });

  it('may be a private one, which has to say where its ARM is', () => {
    const cloud = { authorityHost: 'https://login.stack.local', armEndpoint: 'https://management.stack.local/' };
    expect(cloudOf(cloud)).toEqual({
      authorityHost: 'https://login.stack.local',
      armEndpoint: 'https://management.stack.local',
      audience: 'https://management.stack.local',
    });
    expect(problem({ ...place, cloud: { authorityHost: 'https://login.stack.local' } })).toContain(
      'options.cloud.armEndpoint: is missing',
    );
  });

  it('is reached by https only', () => {
    expect(problem({ ...place, cloud: { armEndpoint: 'http://arm' } })).toContain(
      'options.cloud.armEndpoint: must be an https:// URL',
    );
    expect(problem(place, { AZURE_AUTHORITY_HOST: 'login' })).toContain(
      'AZURE_AUTHORITY_HOST: must be an https:// URL',
    );
  });

  it('may have an authority of its own, as a text or a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'poolwright-options-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const pem = '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n';
    writeFileSync(join(folder, 'ca.pem'), pem);
    expect(read({ ...place, certificateAuthority: pem }).certificateAuthority).toBe(pem);
    expect(read({ ...place, certificateAuthority: join(folder, 'ca.pem') }).certificateAuthority).toBe(pem);
    expect(problem({ ...place, certificateAuthority: join(folder, 'no.pem') })).toContain('cannot be read (ENOENT)');
  });
});
