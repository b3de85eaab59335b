import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkDependencies, crowdedFolders } from './dependency-rules.ts';

const roots: string[] = [];

/** A little repository: file name to what it imports. */
function repository(files: Record<string, readonly string[]>): string {
  const root = mkdtempSync(join(tmpdir(), 'dependency-rules-'));
  roots.push(root);
  symlinkSync(join(import.meta.dirname, '../node_modules'), join(root, 'node_modules'));
  writeFileSync(join(root, 'package.json'), '{"type":"module","devDependencies":{"fast-check":"*"}}');
  writeFileSync(
    join(root, 'tsconfig.json'),
    '{"compilerOptions":{"module":"nodenext","allowImportingTsExtensions":true,"noEmit":true}}',
  );
  for (const [name, imports] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    const lines = imports.map((from) => `import * as x${imports.indexOf(from)} from '${from}';`);
    writeFileSync(join(root, name), `${[...lines, 'export const here = 1;'].join('\n')}\n`);
  }
  return root;
}

afterAll(() => {
  for (const root of roots) rmSync(root, { recursive: true, force: true });
});

describe('the dependency rules', () => {
  it('fail when there is nothing to check', () => {
    expect(checkDependencies(repository({}))).toMatchObject({ ok: false, text: expect.stringContaining('no module') });
  });

  it('pass on a house that keeps them', () => {
    const checked = checkDependencies(
      repository({
        'shared/nodes/claims/attempt/attempt.ts': [],
        'shared/state/contract.ts': ['../base/json.ts'],
        'shared/base/json.ts': [],
        'shared/state/sqlite/state.ts': ['../contract.ts', 'node:sqlite'],
        'shared/nodes/launch/launch.ts': ['../claims/attempt/attempt.ts', '../../state/contract.ts'],
        'functions/watchers/watcher.ts': ['../../shared/nodes/launch/launch.ts'],
        'functions/hosts/local/host.ts': ['../../../shared/state/sqlite/state.ts', '../../watchers/watcher.ts'],
      }),
    );
    expect(checked.text).toBe('7 modules checked, 0 rules broken');
    expect(checked.ok).toBe(true);
  });

  it('name each wrong way', () => {
    const wrong: Record<string, Record<string, readonly string[]>> = {
      'rooms-point-down': { 'shared/state/a.ts': ['../nodes/launch/a.ts'], 'shared/nodes/launch/a.ts': [] },
      'every-room-has-its-place': { 'shared/attic/a.ts': ['../base/json.ts'] },
      'base-knows-nothing': { 'shared/base/a.ts': ['../state/a.ts'] },
      'products-do-not-know-each-other': {
        'shared/clusters/a.ts': ['../nodes/launch/a.ts'],
      },
      'platforms-know-no-provider': { 'shared/platforms/aws/a.ts': ['../../providers/two/a.ts'] },
      'no-platform-knows-another': {
        'shared/platforms/aws/b.ts': ['../azure/a.ts'],
        'shared/platforms/azure/a.ts': [],
      },
      'infra-is-never-imported': { 'functions/watchers/b.ts': ['../../infra/a.ts'], 'infra/a.ts': [] },
      'claims-are-pure': { 'shared/nodes/claims/a.ts': ['node:fs'] },
      'claims-take-only-types-from-runtime': {
        'shared/nodes/claims/b.ts': ['../../base/runtime.ts'],
        'shared/base/runtime.ts': [],
      },
      'shared-stands-alone': { 'shared/queue/a.ts': ['../../sim/a.ts'], 'sim/a.ts': [] },
      'events-stand-alone': { 'events/a.ts': ['../shared/nodes/launch/a.ts'] },
      'no-simulator-in-functions': { 'functions/hosts/local/a.ts': ['../../../sim/a.ts'] },
      'sim-stands-alone': { 'sim/b.ts': ['../functions/watchers/a.ts'], 'functions/watchers/a.ts': [] },
      'nobody-needs-the-command-line': { 'sim/c.ts': ['../cli/a.ts'], 'cli/a.ts': [] },
      'no-test-in-the-product': { 'shared/base/json.ts': ['../../test/a.ts'], 'test/a.ts': [] },
      'no-dev-dependency-in-the-product': { 'shared/observe/metrics.ts': ['fast-check'] },
      'no-port-knows-another': { 'shared/state/b.ts': ['../queue/contract.ts'], 'shared/queue/contract.ts': [] },
      'ports-know-no-product': {
        'shared/kube/b.ts': ['../nodes/claims/spec/a.ts'],
        'shared/nodes/claims/spec/a.ts': [],
      },
      'products-know-contracts-only': {
        'shared/nodes/launch/b.ts': ['../../state/sqlite/state.ts'],
        'shared/state/sqlite/state.ts': [],
      },
      'functions-know-contracts-only': { 'functions/http/a.ts': ['node:net'] },
      'no-host-knows-another': { 'functions/hosts/aws/a.ts': ['../azure/a.ts'], 'functions/hosts/azure/a.ts': [] },
      'no-driver-knows-another': { 'shared/workflow/one/a.ts': ['../two/a.ts'], 'shared/workflow/two/a.ts': [] },
      'contracts-know-no-driver': { 'shared/state/contract.ts': ['./sqlite/state.ts'] },
      'no-provider-knows-another': { 'shared/providers/one/a.ts': ['../two/a.ts'], 'shared/providers/two/a.ts': [] },
      'providers-behind-their-manifests': { 'functions/hosts/local/b.ts': ['../../../shared/providers/two/a.ts'] },
      'manifests-are-light': { 'shared/providers/one/manifest.ts': ['./a.ts'] },
      'kubernetes-client-for-types': { 'shared/kube/a.ts': ['@kubernetes/client-node'] },
      'kubernetes-streams-load-lazily': { 'shared/kube/streams/a.ts': ['@kubernetes/client-node'] },
      'sqlite-behind-drivers': { 'shared/observe/log/log.ts': ['node:sqlite'] },
      'platforms-behind-drivers-and-hosts': { 'functions/http/b.ts': ['@aws-sdk/client-sqs'] },
      'no-cycles': { 'sim/d.ts': ['./e.ts'], 'sim/e.ts': ['./d.ts'] },
      'no-folder-cycles': {
        'sim/one/a.ts': ['../two/a.ts'],
        'sim/one/b.ts': [],
        'sim/two/a.ts': [],
        'sim/two/b.ts': ['../one/b.ts'],
      },
      resolvable: { 'sim/f.ts': ['./nowhere.ts'] },
    };
    const { ok, broken } = checkDependencies(repository(Object.assign({}, ...Object.values(wrong))));
    expect(ok).toBe(false);
    expect(Object.keys(wrong).filter((name) => !broken.includes(name))).toEqual([]);
  });
});

it('no folder of the product is a list: each has at most 25 source files of its own', () => {
  expect(crowdedFolders(join(import.meta.dirname, '..'))).toEqual([]);
});
