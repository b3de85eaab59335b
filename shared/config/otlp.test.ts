import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { loadConfig } from './load.ts';

const folder = mkdtempSync(join(tmpdir(), 'poolwright-otlp-'));
afterAll(() => rmSync(folder, { recursive: true }));

function load(otlp: object, env: Record<string, string> = {}) {
  const file = join(folder, 'poolwright.json');
  writeFileSync(file, JSON.stringify({ metrics: { otlp } }));
  return loadConfig(file, env);
}

it('is a minute between two pushes, and nowhere to push to, when nothing is said', () => {
  expect(load({})).toMatchObject({ ok: true, config: { metrics: { otlp: { everySeconds: 60 } } } });
});

it('takes variables, and a file from where the configuration is', () => {
  const env = { POOLWRIGHT_METRICS_OTLP_ENDPOINT: 'http://c:4318', POOLWRIGHT_METRICS_OTLP_EVERY_SECONDS: '0' };
  expect(load({ headersFile: 'headers' }, env)).toMatchObject({
    ok: true,
    config: { metrics: { otlp: { endpoint: 'http://c:4318', everySeconds: 0, headersFile: join(folder, 'headers') } } },
  });
});

it.each([
  ['headers that are none', { headers: 'hunter2' }, 'must look like name=value,name=value'],
  ['headers that are no text', { headers: ['hunter2'] }, 'must be a text'],
  ['headers twice', { headers: 'a=hunter2', headersFile: 'f' }, 'cannot be combined with headersFile'],
  ['no URL', { endpoint: 'collector:4318' }, 'must be an http:// or https:// URL'],
])('refuses %s, and shows no secret', (_, otlp, words) => {
  const loaded = load(otlp);
  const text = loaded.ok ? '' : loaded.text;
  expect(text).toContain('metrics.otlp.');
  expect(text).toContain(words);
  expect(text).not.toContain('hunter2');
});
