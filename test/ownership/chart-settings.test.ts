/** The chart writes what hosts read: one schema, and no value without a key. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { clusterSettingsSchema, settingsConfigMap } from '../../shared/kube/cluster-settings.ts';

const chart = join(import.meta.dirname, '../../infra/kubernetes/chart');
const read = (file: string): string => readFileSync(join(chart, file), 'utf8');

type Schema = { properties?: Record<string, Schema>; enum?: string[]; default?: unknown };
const ours: Schema = JSON.parse(JSON.stringify(z.toJSONSchema(clusterSettingsSchema(), { io: 'input' })));
const theirs: Schema | undefined = JSON.parse(read('values.schema.json')).properties.settings;

/** `azure.providerType` → what it may be. */
const leaves = (schema: Schema | undefined, path: string[] = []): [string, string[] | undefined][] =>
  schema?.properties === undefined
    ? [[path.join('.'), schema?.enum]]
    : Object.entries(schema.properties).flatMap(([key, value]) => leaves(value, [...path, key]));

describe("the chart's settings", () => {
  it('are those that hosts read, with the same allowed values', () => {
    expect(leaves(theirs).sort()).toEqual(leaves(ours).sort());
    expect(leaves(ours).length).toBeGreaterThan(1);
  });

  it('name managed clusters by default, as the chart of gpu-provisioner does, and nothing else', () => {
    const values = parse(read('values.yaml')).settings;
    expect(clusterSettingsSchema().parse(values)).toEqual({ azure: { clusterName: '', providerType: 'aks' } });
  });

  it('are all written to the ConfigMap that hosts read', () => {
    const template = read('templates/settings.yaml');
    expect(template).toContain(`name: ${settingsConfigMap}\n`);
    for (const [key] of leaves(ours)) expect(template).toContain(`settings.${key}:`);
  });
});
