import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  eventsQueueName,
  serviceBusConnection,
  stateConnection,
} from '../../functions/hosts/azure/connection-names.ts';
import { configSchema } from '../../shared/config/schema.ts';
import { logEvents } from '../../shared/observe/log/events.ts';
import { type BicepSource, readBicep, unbalanced } from './bicep-source.ts';
import { azureRoles, dataRoles } from './rights.ts';

const folder = import.meta.dirname;
const files = globSync('**/*.bicep', { cwd: folder }).sort();
const sources = new Map<string, BicepSource>(files.map((file) => [file, readBicep(join(folder, file))]));
const main = sources.get('main.bicep') ?? readBicep(join(folder, 'main.bicep'));
const everything = [...sources.values()].map(({ text }) => text).join('\n');
const textOf = (name: string) => sources.get(`modules/${name}.bicep`)?.text ?? '';
const countOf = (text: string, word: string) => text.match(new RegExp(`(?<![\\w.])${word}(?!\\w)`, 'g'))?.length ?? 0;

describe.each(files)('%s', (file) => {
  const source = sources.get(file) ?? main;

  it('closes every bracket', () => {
    expect(unbalanced(source.bare)).toBeUndefined();
  });

  it('uses every parameter and variable that it declares', () => {
    const declared = [...source.bare.matchAll(/^(?:param|var) (\w+)/gm)].map(([, name = '']) => name);
    expect(declared.filter((name) => countOf(source.bare, name) < 2)).toEqual([]);
  });

  it('pins the version of every resource, and to no preview', () => {
    expect(source.resources.length + source.modules.length).toBeGreaterThan(0);
    for (const type of source.resources) expect(type).toMatch(/^Microsoft\.[\w./]+@\d{4}-\d\d-\d\d$/);
  });

  it('gives every module what it wants, and nothing else', () => {
    for (const { name, path, given } of source.modules) {
      const module = join(dirname(join(folder, file)), path);
      expect(existsSync(module), path).toBe(true);
      const { params } = readBicep(module);
      const known = params.map((param) => param.name);
      expect(
        given.filter((one) => !known.includes(one)),
        name,
      ).toEqual([]);
      expect(
        params.filter((param) => param.required && !given.includes(param.name)).map((param) => param.name),
        name,
      ).toEqual([]);
    }
  });

  it('hands out no secret', () => {
    expect(source.text).not.toMatch(/\blist(Keys|Secrets|ConnectionStrings|AccountSas|ServiceSas)\w*\(/i);
    for (const { name, value } of source.outputs) {
      if (name === 'keyVaultName') continue;
      expect(`${name} ${value}`).not.toMatch(/secret|password|token|accessKey|\.keys\b/i);
    }
  });
});

describe('the templates together', () => {
  it('use every module', () => {
    const used = main.modules.map(({ path }) => basename(path)).sort();
    expect(used).toEqual(
      files
        .filter((file) => file.startsWith('modules/'))
        .map((file) => basename(file))
        .sort(),
    );
  });

  it('read roles from the list alone: no action, and no id of a role, is written by hand', () => {
    for (const { id } of Object.values(dataRoles)) expect(everything).not.toContain(id);
    expect(everything).not.toMatch(/Microsoft\.\w+\/[\w/]+\/(read|write|delete|action)'/);
  });

  it('give every role of the list, each with a name that the list has', () => {
    const given = new Set(
      [...everything.matchAll(/guid\(subscription\(\)\.id, deployment, '(\w+)'\)/g)].map(([, name]) => name),
    );
    expect([...given].sort()).toEqual(Object.keys(azureRoles).sort());
    const builtIn = new Set([...everything.matchAll(/roles\.builtIn\.(\w+)/g)].map(([, name]) => name));
    expect([...builtIn].sort()).toEqual(Object.keys(dataRoles).sort());
  });

  it('switch keys off everywhere', () => {
    expect(textOf('storage')).toContain('allowSharedKeyAccess: false');
    expect(textOf('service-bus')).toContain('disableLocalAuth: true');
    expect(textOf('monitoring')).toContain('DisableLocalAuth: true');
    expect(textOf('key-vault')).toContain('enableRbacAuthorization: true');
    expect(everything).not.toMatch(/AccountKey|SharedAccessKey/);
  });
});

describe('the alerts', () => {
  const events = [...textOf('alerts').matchAll(/^ {2}'([\w.-]+)'$/gm)].map(([, event = '']) => event);

  it('are about lines that the log can have', () => {
    expect(events).toEqual(expect.arrayContaining(['owner.read-only', 'cluster.unreachable', 'workflow.set-aside']));
    expect(events.filter((event) => !Object.hasOwn(logEvents, event))).toEqual([]);
  });

  it('are all described', () => {
    const page = readFileSync(join(folder, '../../docs/hosts/azure.md'), 'utf8');
    for (const event of events) expect(page).toContain(`\`${event}\``);
  });
});

describe('what the templates make', () => {
  it('is what the host looks for', () => {
    const app = textOf('function-app');
    expect(app).toContain(`${serviceBusConnection}__fullyQualifiedNamespace:`);
    expect(app).toContain(`${stateConnection}__tableServiceUri:`);
    expect(textOf('service-bus')).toContain(`name: '${eventsQueueName}'`);
    const services = readFileSync(join(folder, '../../functions/hosts/azure/services.ts'), 'utf8');
    const table = /table: '(\w+)'/.exec(services)?.[1];
    expect(textOf('storage')).toContain(`name: '${table}'`);
  });

  it('lets our own limits decide before those of the queue', () => {
    const { queue } = configSchema.parse({});
    const text = textOf('service-bus');
    expect(Number(/maxDeliveryCount: (\d+)/.exec(text)?.[1])).toBeGreaterThan(queue.maxReceives);
    expect(Number(/lockDuration: 'PT(\d+)M'/.exec(text)?.[1]) * 60).toBe(queue.visibilitySeconds);
  });

  it('is a configuration that is understood: the shape that main.bicep composes', () => {
    // As for the clusters of many-clusters.example.bicepparam.
    const credential = { type: 'managed-identity', clientId: '00000000-0000-0000-0000-000000000000' };
    const place = { subscription: 's', resourceGroup: 'g', location: 'eastus' };
    const azure = { ...place, clusterName: 'c' };
    const parsed = configSchema.safeParse({
      deployment: 'company',
      clusters: {
        east: { access: 'aks', providers: ['aks'], azure, maxInstances: 200 },
        plant: { access: 'arc', providers: ['arc'], azure: { ...azure, customLocation: '/subscriptions/s' } },
        lab: { server: 'https://lab.example:6443', providers: ['aks'], azure: { clusterName: 'aks-east' } },
      },
      providers: { aks: { type: 'aks', ...place, credential }, arc: { type: 'arc', ...place, credential } },
    });
    expect(parsed.error?.issues ?? []).toEqual([]);
    for (const field of ['access:', 'providers:', 'azure:', 'customLocation:', 'server:', 'credential:', 'clientId:']) {
      expect(main.text).toContain(field);
    }
  });
});

describe.each(globSync('*.bicepparam', { cwd: folder }).sort())('%s', (file) => {
  const text = readFileSync(join(folder, file), 'utf8');

  it('is for these templates, and names only what they know', () => {
    expect(text).toContain("using './main.bicep'");
    expect(unbalanced(text.replace(/'[^']*'|\/\/[^\n]*/g, ''))).toBeUndefined();
    const known = main.params.map(({ name }) => name);
    const given = [...text.matchAll(/^param (\w+)/gm)].map(([, name = '']) => name);
    expect(given.filter((name) => !known.includes(name))).toEqual([]);
    const required = main.params.filter((param) => param.required).map(({ name }) => name);
    expect(required.filter((name) => !given.includes(name))).toEqual([]);
  });

  it('describes clusters with fields that there are', () => {
    const fields = [...(/type clusterType = \{([\s\S]*?)\n\}/.exec(main.text)?.[1] ?? '').matchAll(/^ {2}(\w+):/gm)];
    const given = [...text.matchAll(/^ {4}(\w+):/gm)].map(([, name]) => name);
    expect(given.length).toBeGreaterThan(0);
    for (const name of given) expect(fields.map(([, field]) => field)).toContain(name);
  });
});
