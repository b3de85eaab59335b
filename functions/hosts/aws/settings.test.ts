import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { failed, ok } from '../../../shared/base/result.ts';
import { readSettings } from './settings.ts';

const folder = tmpdir();
const clusters = 'clusters:\n  east: { server: "https://127.0.0.1:1" }\n';

function references(texts: Record<string, string>) {
  const asked: string[] = [];
  const read = async (reference: string) => {
    asked.push(reference);
    const text = texts[reference];
    return text === undefined ? failed('not-found', `the secret ${reference} is not there`) : ok(text);
  };
  return { asked, read };
}

it('reads the configuration from the parameter that is named, by its bare name or as a reference', async () => {
  const { read, asked } = references({ 'ssm:/poolwright/config': clusters, 'secretsmanager:config': clusters });
  for (const name of ['/poolwright/config', 'ssm:/poolwright/config', 'secretsmanager:config']) {
    const settings = await readSettings({ POOLWRIGHT_CONFIG_PARAMETER: name }, folder, read);
    expect(settings).toMatchObject({
      ok: true,
      settings: { config: { clusters: { east: {} } }, parameterText: clusters },
    });
  }
  expect(asked).toEqual(['ssm:/poolwright/config', 'ssm:/poolwright/config', 'secretsmanager:config']);
});

it('asks nobody for a configuration that is in a variable', async () => {
  const { read, asked } = references({});
  const env = { POOLWRIGHT_CONFIG: clusters, POOLWRIGHT_CONFIG_PARAMETER: '/x', POOLWRIGHT_HTTP_TOKEN: 'ssm:/token' };
  const settings = await readSettings(env, folder, read);
  expect(settings).toMatchObject({ ok: true, settings: { token: 'ssm:/token', parameterText: undefined } });
  expect(asked).toEqual([]);
});

it('names the variable whose parameter can not be read, and the line of a mistake in it', async () => {
  const { read } = references({ 'ssm:/wrong': 'clusters:\n  east: { server: nowhere }\n' });
  const gone = await readSettings({ POOLWRIGHT_CONFIG_PARAMETER: '/gone' }, folder, read);
  expect(gone).toEqual({
    ok: false,
    text: expect.stringContaining('POOLWRIGHT_CONFIG_PARAMETER: the secret ssm:/gone'),
  });
  const wrong = await readSettings({ POOLWRIGHT_CONFIG_PARAMETER: '/wrong' }, folder, read);
  expect(wrong).toMatchObject({
    ok: false,
    text: expect.stringContaining('POOLWRIGHT_CONFIG_PARAMETER:2: clusters.east.server must be an http'),
  });
});

it('lets variables override what the parameter says', async () => {
  const { read } = references({ 'ssm:/config': clusters });
  const env = { POOLWRIGHT_CONFIG_PARAMETER: '/config', POOLWRIGHT_CLUSTERS_EAST_MAX_INSTANCES: '3' };
  const settings = await readSettings(env, folder, read);
  expect(settings).toMatchObject({ ok: true, settings: { config: { clusters: { east: { maxInstances: 3 } } } } });
});
