import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../shared/config/load.ts';
import { loadDeployed } from './deployed-config.ts';

const shortest = JSON.stringify({
  deployment: 'office',
  clusters: { east: { server: 'https://east.example', tokenFile: 'east-token' } },
});
const source = (text: string) => ({ name: 'config', text, folder: '/var/task' });

describe('the configuration of a deployed function', () => {
  it.each([
    ['as the stack writes it', shortest],
    ['as JSON with spaces', JSON.stringify(JSON.parse(shortest), null, 2)],
    ['as YAML', 'deployment: office\nclusters:\n  east: { server: https://east.example, tokenFile: east-token }\n'],
    ['with a key that stands there twice', '{"deployment":"a","deployment":"b"}'],
    ['with a mistake', '{"deployment":"a","clusters":{"east":{"servr":"https://east.example"}}}'],
    ['that is no configuration', '"office"'],
    ['that is nothing', ''],
  ])('is the same %s', async (_, text) => {
    expect(await loadDeployed(source(text), {})).toEqual(loadConfig(source(text), {}));
  });

  it('is laid beneath the environment', async () => {
    const loaded = await loadDeployed(source(shortest), { POOLWRIGHT_DEPLOYMENT: 'other' });
    expect(loaded.ok && loaded.config.deployment).toBe('other');
  });

  it('may be the environment alone', async () => {
    expect(await loadDeployed(undefined, { POOLWRIGHT_DEPLOYMENT: 'office' })).toMatchObject({ ok: true });
  });
});
