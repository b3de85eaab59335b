/** In a file of its own: the SDK looks once per process where its managed identity comes from. */
import { ManagedIdentityCredential } from '@azure/identity';
import { afterEach, expect, test, vi } from 'vitest';
import { defaultPrincipal } from '../../../sim/azure/identity/tokens.ts';
import { rawClient, standIn } from './stand-in.ts';

afterEach(() => void vi.unstubAllEnvs());

test('a machine gets tokens for its own identity and for those that it was given', async () => {
  const clientId = '77777777-7777-4777-8777-777777777777';
  const { tenant } = defaultPrincipal;
  const { azure } = await standIn({ principals: [defaultPrincipal, { clientId, tenant, managed: 'user' }] });
  for (const [name, value] of Object.entries(azure.machineIdentity)) vi.stubEnv(name, value);
  const pools = `${azure.clusters[0]?.id}/agentPools?api-version=2026-06-01`;
  for (const options of [{}, { clientId }]) {
    expect((await rawClient(azure, new ManagedIdentityCredential(options))('GET', pools)).status).toBe(200);
  }
  const stranger = new ManagedIdentityCredential({ clientId: '99999999-9999-4999-8999-999999999999' });
  await expect(stranger.getToken('https://management.azure.com/.default')).rejects.toThrow(/Identity not found/);
});
