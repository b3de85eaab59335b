import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { JsonObject } from '../../shared/base/json.ts';
import { exportToArgo } from '../../shared/clusters/argo/export.ts';
import { builtInPoolTypes } from '../../shared/clusters/pool-types/built-in.ts';
import type { ClusterRequestSpec } from '../../shared/clusters/request/schema.ts';
import { resolve } from '../../shared/clusters/resolved/resolve.ts';
import { filledIn } from './fill-in.ts';

const resolved = (spec: Partial<ClusterRequestSpec> = {}) =>
  resolve(
    {
      apiVersion: 'poolwright.dev/v1alpha1',
      kind: 'ClusterRequest',
      metadata: { name: 'web', namespace: 'team-a' },
      spec: { location: 'westeurope', kubernetesVersion: '1.35', ...spec },
    },
    builtInPoolTypes,
  );

interface Template {
  name: string;
  steps?: { name: string; template: string; when?: string }[][];
  resource?: { action: string; manifest: string; flags?: string[]; successCondition?: string };
  container?: { args: string[]; image: string };
  inputs?: { artifacts: { raw: { data: string } }[] };
  retryStrategy?: { retryPolicy: string };
}
interface Workflow {
  spec: {
    entrypoint: string;
    onExit: string;
    arguments: { parameters: { name: string; value?: string; enum?: string[] }[] };
    templates: Template[];
    synchronization: JsonObject;
  };
}

const exported = (spec: Partial<ClusterRequestSpec> = {}) => {
  const { objects, findings } = exportToArgo(resolved(spec), { types: builtInPoolTypes });
  const [workflow] = objects as unknown as Workflow[];
  return { workflow, objects, findings, templates: workflow?.spec.templates ?? [] };
};

/** The templates in the order in which one run calls them. */
function calls(templates: readonly Template[], parameters: Record<string, string>, from = 'main'): string[] {
  const template = templates.find(({ name }) => name === from);
  return (template?.steps ?? []).flat().flatMap(({ template: called, when }) => {
    if (when !== undefined && !runs(when, parameters)) return [];
    const inner = calls(templates, parameters, called);
    return inner.length === 0 ? [called] : inner;
  });
}

/** As far as the export uses expressions. */
function runs(when: string, parameters: Record<string, string>): boolean {
  return when.split(' && ').every((one) => {
    const [, name = '', operator = '', right = ''] =
      /^\{\{=workflow\.parameters\['([\w-]+)'\] (==|!=|in|not in) (.+)\}\}$/.exec(one) ?? [];
    const value = parameters[name];
    const values = [...right.matchAll(/'([^']*)'/g)].map(([, text]) => text);
    const found = values.includes(value);
    return operator === '==' || operator === 'in' ? found : !found;
  });
}

const given = {
  'cluster-name': 'shop',
  location: 'westeurope',
  'node-pool-type': 'standard',
  'enable-nap': 'true',
  'dry-run': 'false',
  'kubernetes-version': '1.35',
  'primary-vm-size': 'Standard_D2s_v5',
  'secondary-vm-size': 'Standard_D4s_v5',
  'sku-family': 'D',
  'max-cpu': '1000',
  'max-memory': '1000Gi',
  'system-vm-size': 'Standard_D4s_v5',
  'git-url': 'https://git.example/fleet',
  'git-branch': 'main',
  'kubectl-image': 'kubectl:1.35',
};

describe('the exported workflow', () => {
  it('has the steps of the design, in the order in which they can work', () => {
    const { templates } = exported();

    expect(calls(templates, given)).toEqual([
      'validate-resource-group',
      'validate-cluster',
      'create-resource-group',
      'create-identity',
      'create-managed-cluster',
      'wait-for-cluster-ready',
      'wait-for-cluster-current',
      'wait-for-karpenter',
      'create-karpenter-nodeclass',
      'create-karpenter-nodepool',
      'configure-cluster-addons',
      'setup-flux-gitops',
    ]);
  });

  it('writes nothing in a dry run', () => {
    const { templates } = exported();
    const called = calls(templates, { ...given, 'dry-run': 'true' });

    expect(called).toEqual(['validate-resource-group', 'validate-cluster']);
    for (const name of called) {
      expect(templates.find((one) => one.name === name)?.resource?.flags).toContain('--dry-run=server');
    }
  });

  it.each([
    ['true', 'standard', 'create-karpenter-nodepool'],
    ['true', 'memory-optimized', 'create-karpenter-nodepool-tainted'],
    ['false', 'standard', 'create-agent-pool'],
    ['false', 'compute-optimized', 'create-agent-pool-tainted'],
  ])('with node auto-provisioning %s and type %s makes its pool by %s alone', (nap, type, expected) => {
    const { templates } = exported();
    const called = calls(templates, { ...given, 'enable-nap': nap, 'node-pool-type': type, 'git-url': '' });

    expect(
      called.filter((name) => /pool/.test(name) && !name.startsWith('validate') && !name.endsWith('with-pools')),
    ).toEqual([expected]);
    expect(called).not.toContain('setup-flux-gitops');
  });

  it('applies and never creates, except the Event at the end', () => {
    const actions = exported().templates.flatMap(({ name, resource }) =>
      resource ? [`${resource.action} ${name}`] : [],
    );

    expect(actions.filter((one) => one.startsWith('create '))).toEqual(['create notify']);
    expect(actions.some((one) => one.startsWith('replace') || one.startsWith('patch'))).toBe(false);
  });

  it('tries again what a lost pod has broken, and not what the operator refuses', () => {
    const { templates } = exported();

    for (const { resource, container, retryStrategy } of templates) {
      const writes = resource?.action === 'apply' && resource.flags?.includes('--dry-run=server') === false;
      if (writes || container) expect(retryStrategy?.retryPolicy).toBe('Always');
      if (resource?.action === 'get') expect(retryStrategy?.retryPolicy).toBe('OnError');
    }
  });

  it('takes every parameter of the design, with the values of the request', () => {
    const { workflow } = exported({
      nodePool: { type: 'memory-optimized' },
      systemPool: { vmSize: 'Standard_D8s_v5' },
    });
    const parameters = workflow?.spec.arguments.parameters ?? [];
    const values = Object.fromEntries(parameters.map(({ name, value }) => [name, value]));

    expect(Object.keys(values)).toEqual(Object.keys(given));
    expect(values).toMatchObject({
      location: 'westeurope',
      'node-pool-type': 'memory-optimized',
      'sku-family': 'E',
      'max-memory': '2000Gi',
      'system-vm-size': 'Standard_D8s_v5',
      'enable-nap': 'true',
      'dry-run': 'false',
    });
    expect(values['cluster-name']).toBeUndefined();
  });

  it('leaves no word of the generator behind, and no mark of Poolwright', () => {
    const text = JSON.stringify(
      exported({ network: { subnetID: `/subscriptions/${'a'.repeat(8)}/subnets/s` } }).objects,
    );

    expect(text).not.toMatch(/pw[a-z]{3,}/);
    expect(text).not.toMatch(/poolwright/);
  });

  it('keeps booleans and numbers out of quotes', () => {
    const cluster =
      exported().templates.find(({ name }) => name === 'create-managed-cluster')?.resource?.manifest ?? '';
    const { spec } = parse(filledIn(cluster, given)) as {
      spec: { agentPoolProfiles: JsonObject[]; kubernetesVersion: unknown };
    };

    expect(spec.agentPoolProfiles[0]).toMatchObject({ enableAutoScaling: false, count: 2 });
    expect(spec.kubernetesVersion).toBe('1.35');
  });

  it('gives the pods no Secret to read', () => {
    const role = exported().objects.find(({ kind }) => kind === 'Role') as unknown as {
      rules: { apiGroups: string[]; resources: string[] }[];
    };

    expect(role.rules.flatMap(({ resources }) => resources)).not.toContain('secrets');
    expect(role.rules.map(({ apiGroups }) => apiGroups[0])).toEqual([
      'argoproj.io',
      '',
      'resources.azure.com',
      'managedidentity.azure.com',
      'containerservice.azure.com',
      'kubernetesconfiguration.azure.com',
    ]);
  });
});

describe('what a workflow cannot do', () => {
  it.each<[Partial<ClusterRequestSpec>, string]>([
    [{ nodes: 'poolwright' }, 'spec.nodes'],
    [{ access: { disableLocalAccounts: true } }, 'spec.access.disableLocalAccounts'],
  ])('%j is an error', (spec, field) => {
    const { objects, findings } = exported(spec);

    expect(objects).toEqual([]);
    expect(findings).toMatchObject([{ severity: 'error', field, code: 'ArgoCannotExpress' }]);
  });

  it('a type with taints of its own is left out, and said', () => {
    const gpu = {
      name: 'gpu',
      description: 'GPUs.',
      family: 'NC',
      versions: [],
      vmSizes: ['Standard_NC24ads_A100_v4'],
      acceptedVmSizes: [],
      limits: { cpu: '96', memory: '1Ti' },
      taints: [{ key: 'gpu', value: 'a100', effect: 'NoSchedule' as const }],
    };
    const types = new Map([...builtInPoolTypes, ['gpu', gpu]]);
    const { objects, findings } = exportToArgo(resolved(), { types });
    const [workflow] = objects as unknown as Workflow[];

    expect(findings).toMatchObject([{ severity: 'warning', code: 'ArgoCannotExpress' }]);
    const parameter = workflow?.spec.arguments.parameters.find(({ name }) => name === 'node-pool-type');
    expect(parameter?.enum).toEqual(['standard', 'memory-optimized', 'compute-optimized']);
  });
});
