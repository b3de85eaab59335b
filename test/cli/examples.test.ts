import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { builtInPoolTypes } from '../../shared/clusters/pool-types/built-in.ts';
import { checkRequest } from '../../shared/clusters/rules/validate.ts';
import { parseNodeClaim } from '../../shared/nodes/claims/spec/claim-schema.ts';
import { poolProblems } from '../../shared/nodes/pools/validate.ts';
import { aksNodeClasses } from '../../shared/providers/aks/kinds.ts';
import { parseNodeClass as parseCloudStackNodeClass } from '../../shared/providers/cloudstack/node-class/parse.ts';
import { parseNodeClass as parseEc2NodeClass } from '../../shared/providers/ec2/node-class/parse.ts';
import { parseSimNodeClass } from '../../shared/providers/sim/node-class.ts';
import { defaultSizes } from '../../sim/azure/catalog/sizes.ts';

const folder = new URL('../../docs/examples/', import.meta.url);

const manifests = readdirSync(folder).filter((file) => file.endsWith('.yaml'));

const documentsOf = (file: string) =>
  parseAllDocuments(readFileSync(new URL(file, folder), 'utf8')).map((one) => one.toJS());

/** It needs no node class of its own. */
const forAzure = 'azure-claim.yaml';

test(`docs/examples/${forAzure} is a claim that agent pools can be made from`, () => {
  const [claim, ...others] = documentsOf(forAzure);
  const parsed = parseNodeClaim({ ...claim, metadata: { ...claim.metadata, uid: 'u' } });

  expect(others).toEqual([]);
  expect(parsed).toMatchObject({ ok: true });
  expect(aksNodeClasses).toContainEqual(
    expect.objectContaining({ kind: claim.spec.nodeClassRef.kind, optional: true }),
  );
  const sizes = defaultSizes.map(({ name }) => name);
  expect(sizes).toEqual(expect.arrayContaining(claim.spec.requirements[0].values));
});

/** A whole cluster, no node. */
const forCluster = 'cluster-request.yaml';

test(`docs/examples/${forCluster} is a request that nothing is wrong with`, () => {
  const documents = documentsOf(forCluster);

  expect(documents).toHaveLength(1);
  expect(checkRequest(documents[0], { types: builtInPoolTypes, today: '2026-11-01' }).findings).toEqual([]);
});

const classes = {
  SimNodeClass: { group: 'poolwright.dev', parse: parseSimNodeClass },
  EC2NodeClass: { group: 'karpenter.k8s.aws', parse: parseEc2NodeClass },
  CloudStackNodeClass: { group: 'karpenter.k8s.cloudstack', parse: parseCloudStackNodeClass },
};

describe.each(manifests.filter((file) => file !== forAzure && file !== forCluster))('docs/examples/%s', (file) => {
  const documents = documentsOf(file);

  test('has a node class and a claim or pool that both can be used, and the claim names the class', () => {
    const nodeClass = documents.find(({ kind }) => Object.hasOwn(classes, kind));
    const kind: keyof typeof classes = nodeClass.kind;
    const pool = documents.find(({ kind }) => kind === 'NodePool');
    if (pool) expect(poolProblems(pool)).toEqual([]);
    const claim = documents.find(({ kind }) => kind === 'NodeClaim') ?? {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: { ...pool.spec.template.metadata, name: 'from-pool' },
      spec: pool.spec.template.spec,
    };

    expect(documents).toHaveLength(2);
    expect(classes[kind].parse(nodeClass.spec)).toMatchObject({ ok: true });
    const metadata = { ...claim.metadata, uid: 'u' };
    expect(parseNodeClaim({ ...claim, metadata })).toMatchObject({ ok: true });
    expect(claim.spec.nodeClassRef).toEqual({ group: classes[kind].group, kind, name: nodeClass.metadata.name });
  });
});
