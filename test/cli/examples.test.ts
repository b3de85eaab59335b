import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { parseNodeClaim } from '../../shared/claims/claim-schema.ts';
import { poolProblems } from '../../shared/pools/validate.ts';
import { parseSimNodeClass } from '../../shared/providers/sim/node-class.ts';

const folder = new URL('../../docs/examples/', import.meta.url);

describe.each(readdirSync(folder))('docs/examples/%s', (file) => {
  const documents = parseAllDocuments(readFileSync(new URL(file, folder), 'utf8')).map((one) => one.toJS());

  test('has a node class and a claim or pool that both can be used, and the claim names the class', () => {
    const nodeClass = documents.find(({ kind }) => kind === 'SimNodeClass');
    const pool = documents.find(({ kind }) => kind === 'NodePool');
    if (pool) expect(poolProblems(pool, Date.UTC(2026, 0, 1))).toEqual([]);
    const claim = documents.find(({ kind }) => kind === 'NodeClaim') ?? {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: { ...pool.spec.template.metadata, name: 'from-pool' },
      spec: pool.spec.template.spec,
    };

    expect(documents).toHaveLength(2);
    expect(parseSimNodeClass(nodeClass.spec)).toMatchObject({ ok: true });
    const metadata = { ...claim.metadata, uid: 'u' };
    expect(parseNodeClaim({ ...claim, metadata })).toMatchObject({ ok: true });
    expect(claim.spec.nodeClassRef).toEqual({
      group: 'poolwright.dev',
      kind: 'SimNodeClass',
      name: nodeClass.metadata.name,
    });
  });
});
