import { expect, test } from 'vitest';
import { folderCycles } from './folder-cycles.ts';

const imports = (all: Record<string, readonly string[]>, kind = 'import') =>
  Object.entries(all).map(([source, targets]) => ({
    source,
    dependencies: targets.map((resolved) => ({ resolved, dependencyTypes: ['local', kind] })),
  }));

const bothWays = { 'sim/one/a.ts': ['sim/two/a.ts'], 'sim/two/b.ts': ['sim/one/b.ts'] };

test('two folders that load each other are a cycle, even if no two modules do', () => {
  expect(folderCycles(imports(bothWays))).toEqual([
    { from: 'sim/one/a.ts', to: 'sim/two/a.ts' },
    { from: 'sim/two/b.ts', to: 'sim/one/b.ts' },
  ]);
});

test('so are three in a ring, at any depth', () => {
  const ring = {
    'cli/x/a/1.ts': ['cli/x/b/c/1.ts'],
    'cli/x/b/2.ts': ['cli/x/d/1.ts'],
    'cli/x/d/2.ts': ['cli/x/a/2.ts'],
  };
  expect(folderCycles(imports(ring))).toHaveLength(3);
});

test('types are not loaded, and tests may import anything', () => {
  expect(folderCycles(imports(bothWays, 'type-only'))).toEqual([]);
  const withTest = { 'sim/one/a.ts': ['sim/two/a.ts'], 'sim/two/b.test.ts': ['sim/one/b.ts'] };
  expect(folderCycles(imports(withTest))).toEqual([]);
});

test('a folder and the modules beside it may import each other', () => {
  expect(folderCycles(imports({ 'sim/a.ts': ['sim/one/a.ts'], 'sim/one/b.ts': ['sim/b.ts'] }))).toEqual([]);
});

test('the rooms of shared/ are left to their own order', () => {
  const rooms = {
    'shared/providers/a.ts': ['shared/nodes/claims/a.ts'],
    'shared/nodes/steps/a.ts': ['shared/providers/b.ts'],
  };
  expect(folderCycles(imports(rooms))).toEqual([]);
});
