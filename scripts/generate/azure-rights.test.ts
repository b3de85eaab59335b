import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { azureRoles } from '../../infra/azure/rights.ts';
import { azureRightsPage, generatedAzureRightsPage, generatedRoles, rolesFile } from './azure-rights.ts';

const repository = join(import.meta.dirname, '../..');
const rights = Object.values(azureRoles).flatMap((role) => role.rights);
const actions = rights.map(({ action }) => action);

describe('the list of rights in Azure', () => {
  it('is written into the files that are made from it: run `npm run generate`', () => {
    expect(readFileSync(rolesFile, 'utf8')).toBe(generatedRoles());
    expect(readFileSync(azureRightsPage, 'utf8')).toBe(generatedAzureRightsPage());
  });

  it('has no wildcard, names each action once, and changes nothing but agent pools', () => {
    expect(new Set(actions).size).toBe(actions.length);
    for (const action of actions) expect(action).toMatch(/^Microsoft\.\w+(\/\w+)+\/(read|write|delete|action)$/);
    const changing = actions.filter((action) => /\/(write|delete)$/.test(action));
    for (const action of changing) expect(action).toContain('/agentPools/');
  });

  it('names files that talk to that part of Azure', () => {
    for (const { action, usedIn, why } of rights) {
      expect(why.length).toBeGreaterThan(10);
      const text = readFileSync(join(repository, usedIn), 'utf8');
      expect(text.length, `${usedIn} for ${action}`).toBeGreaterThan(0);
    }
  });

  it('holds every action that our error messages ask for', () => {
    const code = globSync('shared/{providers/{agent-pools,aks,arc},platforms/azure}/**/*.ts', { cwd: repository })
      .filter((file) => !file.endsWith('.test.ts'))
      .map((file) => readFileSync(join(repository, file), 'utf8'))
      .join('\n');
    const named = [...code.matchAll(/'(Microsoft\.[\w/]+\/(?:read|write|delete|action))'/g)].map(
      ([, action]) => action,
    );
    const roots = [...code.matchAll(/rights = '(Microsoft\.[\w/]+)'/g)].map(([, root]) => root);
    expect(roots.length).toBeGreaterThan(0);
    const asked = [...named, ...roots.flatMap((root) => ['read', 'write', 'delete'].map((verb) => `${root}/${verb}`))];
    expect(asked.filter((action) => !actions.includes(action ?? ''))).toEqual([]);
  });
});
