/** The very folder that is published: what the platform finds in it, and what happens when it would find nothing. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimActivityNames, provisioners } from '../../../functions/catalog.ts';

const repository = join(import.meta.dirname, '../../..');
/** Outside of the repository: whatever the bundles lack is then really not there. */
const folder = mkdtempSync(join(tmpdir(), 'poolwright-package-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(script: string, ...options: string[]) {
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' };
  return spawnSync(process.execPath, [join(repository, 'scripts', script), ...options], { encoding: 'utf8', env });
}

interface Indexed {
  name: string;
  bindings: Record<string, { type: string; direction: string; name?: string; properties?: unknown }>;
}

const out = join(folder, 'azure');
let functions: Map<string, object[]>;
beforeAll(() => {
  const made = run('package/azure.ts', '--out', out);
  expect(made).toMatchObject({ status: 0, stderr: '' });
  const checked = run('package/check-azure.ts', out, '--json');
  const index = JSON.parse(checked.stdout) as Indexed[];
  functions = new Map(
    index.map(({ name, bindings }) => [
      name,
      Object.values(bindings).map(({ name: _, properties: __, ...binding }) => binding),
    ]),
  );
});

describe('the package for Azure Functions', () => {
  const durableClient = { type: 'durableClient', direction: 'in' };
  const timer = (schedule: string) => [
    { type: 'timerTrigger', direction: 'in', schedule, runOnStartup: false },
    durableClient,
  ];

  it('has exactly these functions with these bindings', () => {
    const providers = ['provision-aks', 'provision-arc', 'provision-ec2', 'provision-cloudstack', 'provision-remote'];
    expect(provisioners).toEqual(['steps', ...providers]);
    const older = claimActivityNames.map((name) => `activity-${name}`);
    const activities = [...provisioners, ...older].map((name) => [
      name,
      [{ type: 'activityTrigger', direction: 'in' }, durableClient],
    ]);
    expect(Object.fromEntries(functions)).toEqual({
      ...Object.fromEntries(activities),
      'workflow-mailbox': [{ type: 'activityTrigger', direction: 'in' }],
      workflow: [{ type: 'orchestrationTrigger', direction: 'in' }],
      'workflow-step': [{ type: 'orchestrationTrigger', direction: 'in' }],
      'watch-events': [
        { type: 'serviceBusTrigger', direction: 'in', connection: 'ServiceBus', queueName: 'events' },
        durableClient,
      ],
      http: [
        {
          type: 'httpTrigger',
          direction: 'in',
          authLevel: 'anonymous',
          methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
          route: '{*path}',
        },
        durableClient,
        { type: 'http', direction: 'out' },
      ],
      ownership: timer('*/30 * * * * *'),
      resync: timer('5 * * * * *'),
      'node-classes': timer('12 * * * * *'),
      'static-pools': timer('18-59/30 * * * * *'),
      expiration: timer('25 * * * * *'),
      'refresh-offerings': timer('38 */5 * * * *'),
      'garbage-collection': timer('48 */2 * * * *'),
      'cluster-requests': timer('30 */5 * * * *'),
      'machine-providers': timer('54 */5 * * * *'),
      'virtual-machines': timer('35 */5 * * * *'),
      tidy: timer('55 17 * * * *'),
    });
  });

  it('is a folder that needs nothing else', () => {
    const files = ['.funcignore', 'functions', 'host.json', 'local.settings.json', 'package.json'];
    expect(readdirSync(out).sort()).toEqual(files);
    const manifest = JSON.parse(readFileSync(join(out, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({ type: 'module', main: 'functions/*.js' });
    expect(Object.keys(manifest)).not.toContain('dependencies');
    expect(readFileSync(join(out, '.funcignore'), 'utf8')).toContain('local.settings.json');
    expect(readFileSync(join(out, 'host.json'), 'utf8')).toBe(readFileSync(join(repository, 'host.json'), 'utf8'));
  });

  it('loads no SDK, no schema library and no durable library before a function is called', () => {
    for (const entry of readdirSync(join(out, 'functions')).filter((name) => name.endsWith('.js'))) {
      const text = [...loadedWith(join(out, 'functions', entry))].map((file) => readFileSync(file, 'utf8')).join('\n');
      for (const library of [/ZodObject/, /DurableOrchestrationContext/, /ServiceBusClient/, /TableClient/]) {
        expect(text, `${entry} loads ${library}`).not.toMatch(library);
      }
    }
  });

  it.each([
    [
      'throws while it is loaded',
      "throw new Error('a setting is missing');",
      /broken.js can't be loaded.*a setting is missing/s,
    ],
    ['registers nothing', 'export const nothing = 1;', /broken.js registers no function/],
  ])('is not made when an entry %s', (_, code, problem) => {
    const entry = join(folder, 'broken.ts');
    writeFileSync(entry, code);
    const made = run('package/azure.ts', '--out', join(folder, 'broken'), '--entry', entry);
    expect(made.status).toBe(1);
    expect(made.stderr).toMatch(problem);
    expect(made.stdout).not.toContain('is ready');
  });
});

/** A file and what it imports at once. */
function loadedWith(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file) || !existsSync(file)) return seen;
  seen.add(file);
  const imports = readFileSync(file, 'utf8').matchAll(/(?:from|^import|;import)\s*"(\.{1,2}\/[^"]+)"/g);
  for (const [, path = ''] of imports) loadedWith(join(file, '..', path), seen);
  return seen;
}
