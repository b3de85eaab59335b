import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readSettings } from './settings.ts';

const folder = (files: Record<string, string> = {}): string => {
  const made = mkdtempSync(join(tmpdir(), 'poolwright-azure-settings-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(made, name), text);
  return made;
};

const read = async (env: Record<string, string>, files?: Record<string, string>) => {
  const result = await readSettings(env, folder(files));
  return result.ok ? result.settings : result.text;
};

it.each([
  ['YAML text', { POOLWRIGHT_CONFIG: 'deployment: here' }, {}],
  ['JSON text', { POOLWRIGHT_CONFIG: '{"deployment":"here"}' }, {}],
  ['a file of the package by its name', { POOLWRIGHT_CONFIG: 'own.yaml' }, { 'own.yaml': 'deployment: here' }],
  ['the file of the package that needs no name', {}, { 'poolwright.yaml': 'deployment: here' }],
  ['a variable of its own', { POOLWRIGHT_DEPLOYMENT: 'here' }, {}],
])('takes the configuration from %s', async (_, env, files) => {
  expect(await read(env as Record<string, string>, files as Record<string, string>)).toMatchObject({
    config: { deployment: 'here' },
  });
});

it('lets single variables win over the text', async () => {
  const settings = await read({ POOLWRIGHT_CONFIG: 'deployment: text', POOLWRIGHT_DEPLOYMENT: 'variable' });
  expect(settings).toMatchObject({ config: { deployment: 'variable' } });
});

it('keeps the token of the HTTP API out of the configuration', async () => {
  expect(await read({ POOLWRIGHT_HTTP_TOKEN: 'secret' })).toMatchObject({ token: 'secret' });
  expect(await read({ POOLWRIGHT_HTTP_TOKEN: '' })).toMatchObject({ token: undefined });
});

it('takes secrets that were put into the vault from a file, with the end of their line', async () => {
  const settings = await read({
    POOLWRIGHT_HTTP_TOKEN: 'secret\n',
    POOLWRIGHT_CLUSTERS_EAST_SERVER: 'https://east.example',
    POOLWRIGHT_CLUSTERS_EAST_TOKEN: 'of-the-cluster\n',
    POOLWRIGHT_CLUSTERS_EAST_INTAKE_TOKENS: 'of-the-intake-of-east\n',
  });
  expect(settings).toMatchObject({
    token: 'secret',
    config: { clusters: { east: { token: 'of-the-cluster', intake: { tokens: ['of-the-intake-of-east'] } } } },
  });
});

it('says which setting is wrong, where and how', async () => {
  expect(await read({ POOLWRIGHT_CONFIG: 'deployment: here\nhttp: { port: many }' })).toMatch(
    /POOLWRIGHT_CONFIG:2: http\.port/,
  );
  expect(await read({ POOLWRIGHT_CONFIG: 'absent.yaml' })).toMatch(/absent\.yaml: the file cannot be read \(ENOENT\)/);
  expect(await read({ POOLWRIGHT_DEPLOYMNT: 'x' })).toMatch(/POOLWRIGHT_DEPLOYMNT.*did you mean/);
});

it('says which Key Vault reference the platform could not follow, and not what it says', async () => {
  const text = await read({
    POOLWRIGHT_HTTP_TOKEN: '@Microsoft.KeyVault(SecretUri=https://v.vault.azure.net/secrets/t)',
  });
  expect(text).toMatch(/POOLWRIGHT_HTTP_TOKEN: .*Key Vault/);
  expect(text).not.toContain('vault.azure.net');
});
