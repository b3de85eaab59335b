/**
 * The provisioning of a cluster as a WorkflowTemplate of Argo Workflows, for teams that stay there: the same manifests from the same
 * generator, in the order in which they can work. What it lacks, docs/argo.md says.
 *
 * @example
 * const { objects, findings } = exportToArgo(resolved, { types: builtInPoolTypes });
 */
import type { JsonObject } from '../../base/json.ts';
import { generate } from '../manifests/generate.ts';
import type { Manifest } from '../manifests/manifest.ts';
import { kubeconfigKey } from '../manifests/object-names.ts';
import type { PoolType, PoolTypes } from '../pool-types/pool-type.ts';
import type { Stage } from '../request/stages.ts';
import type { Resolved } from '../resolved/resolve.ts';
import type { Finding } from '../rules/finding.ts';
import { condition, parameterized, parametersOf, placeholder, withPlaceholders } from './parameters.ts';
import { workflowRights } from './rights.ts';
import { apply, applyThere, awaitObject, dryRun, kubectl, type StepCall, sequence, type Template } from './steps.ts';

export const workflowTemplateName = 'provision-aks-cluster';

export interface ExportOptions {
  types: PoolTypes;
  kubectlImage?: string | undefined;
}

export interface Exported {
  /** The WorkflowTemplate, then the rights that its pods need. Empty if there is an error. */
  objects: readonly JsonObject[];
  findings: readonly Finding[];
}

interface Variant {
  nap: boolean;
  tainted: boolean;
}

const minutes = 60;
const hours = 60 * minutes;

export function exportToArgo(resolved: Resolved, { types, kubectlImage }: ExportOptions): Exported {
  const findings = findingsOf(resolved, types);
  if (findings.some(({ severity }) => severity === 'error')) return { objects: [], findings };
  const known = [...types].filter(([name, type]) => isUsable(name, type)).map(([name]) => name);
  const untainted = known.filter((name) => types.get(name)?.taints.length === 0);
  const list = `[${untainted.map((name) => `'${name}'`).join(', ')}]`;
  const plain = condition('node-pool-type', `in ${list}`);
  const special = condition('node-pool-type', `not in ${list}`);

  const manifests = new Manifests(resolved);
  const templates = [...templatesOf(manifests, { plain, special }), notice(resolved.namespace)];
  const { namespace } = resolved;
  const template = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'WorkflowTemplate',
    metadata: { name: workflowTemplateName, namespace },
    spec: {
      entrypoint: 'main',
      onExit: 'notify',
      serviceAccountName: workflowTemplateName,
      arguments: { parameters: parametersOf(resolved, { types: known, kubectlImage }) as unknown as JsonObject[] },
      activeDeadlineSeconds: 3 * hours,
      // Two runs for one cluster would apply different things to the same objects.
      synchronization: { mutexes: [{ name: `cluster-${placeholder('cluster-name')}` }] },
      podGC: { strategy: 'OnPodSuccess' },
      templates,
    },
  };
  return {
    objects: [template, ...workflowRights(workflowTemplateName, namespace, manifests.all())] as JsonObject[],
    findings,
  };
}

/** What the workflow gives a type of pool is either no taint or its own. */
const isUsable = (name: string, { taints }: PoolType): boolean =>
  taints.length === 0 ||
  (taints.length === 1 && taints[0]?.key === name && taints[0].value === 'true' && taints[0].effect === 'NoSchedule');

function findingsOf(resolved: Resolved, types: PoolTypes): Finding[] {
  const error = (field: string, cause: string, fix: string): Finding => ({
    severity: 'error',
    code: 'ArgoCannotExpress',
    field,
    cause,
    fix,
  });
  const lost = (field: string, cause: string, fix: string): Finding => ({
    ...error(field, cause, fix),
    severity: 'warning',
  });
  const { nodes, nodePool, access, network, clusterName, name } = resolved;
  const left = [...types].filter(([type, one]) => !isUsable(type, one)).map(([type]) => type);
  return [
    ...(nodes === 'poolwright'
      ? [error('spec.nodes', "a workflow can't register the cluster with Poolwright", 'set nodes: nap or agentPools')]
      : []),
    ...(access.disableLocalAccounts === true
      ? [
          error(
            'spec.access.disableLocalAccounts',
            'the steps in the new cluster need the certificate of its administrator',
            'leave it out, or let Poolwright carry the request out',
          ),
        ]
      : []),
    ...(left.includes(nodePool.type)
      ? [error('spec.nodePool.type', `type ${nodePool.type} has taints of its own`, 'use another type')]
      : left.map((type) =>
          lost(
            'spec.nodePool.type',
            `type ${type} has taints of its own and is left out`,
            'give it one taint TYPE=true:NoSchedule',
          ),
        )),
    ...(network.private
      ? [
          lost(
            'spec.network.private',
            'pods of Argo must reach the private API server',
            'run Argo in a network that does',
          ),
        ]
      : []),
    ...(clusterName === name
      ? []
      : [
          lost(
            'spec.clusterName',
            'the workflow names the cluster by its parameter cluster-name',
            'pass the name there',
          ),
        ]),
  ];
}

/** The generator's manifests, by stage, for each variant of a cluster. */
class Manifests {
  readonly #resolved: Resolved;

  constructor(resolved: Resolved) {
    this.#resolved = resolved;
  }

  of(stage: Stage, variant: Variant = { nap: true, tainted: false }): Manifest[] {
    const resolved = parameterized(this.#resolved, variant);
    const { stages } = generate(resolved, { deployment: 'argo', uid: 'argo' });
    const found = stages.find((one) => one.stage === stage)?.manifests ?? [];
    return found.map(asArgos);
  }

  one(stage: Stage, variant?: Variant): Manifest {
    const [manifest] = this.of(stage, variant);
    if (manifest === undefined) throw new Error(`stage ${stage} has no manifest`);
    return manifest;
  }

  all(): Manifest[] {
    const stages: Stage[] = ['ResourceGroup', 'Identity', 'ManagedCluster', 'FederatedCredentials', 'Flux', 'GitOps'];
    return [...stages.flatMap((stage) => this.of(stage)), ...this.of('AgentPools', { nap: false, tainted: false })];
  }
}

const ourMarks = /^poolwright/;

/**
 * Without the marks of a request: what Poolwright finds with marks and without a request, it takes for something that was left behind.
 * Names that derive from a uid are left to the operator, which derives them from the object.
 */
function asArgos(manifest: Manifest): Manifest {
  const { metadata, spec, kind } = manifest;
  const { tags, azureName, ...rest } = spec;
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => !ourMarks.test(key));
  const ownTags = Object.entries((tags ?? {}) as JsonObject).filter(([key]) => !ourMarks.test(key));
  const workers = kind === 'ManagedClustersAgentPool';
  const made = {
    ...manifest,
    metadata: {
      name: workers ? metadata.name.replace(/[^-]+$/, 'workers') : metadata.name,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      labels: { 'app.kubernetes.io/managed-by': 'argo-workflows' },
      ...(annotations.length === 0 ? {} : { annotations: Object.fromEntries(annotations) }),
    },
    spec: {
      ...(azureName === undefined || kind === 'RoleAssignment' ? {} : { azureName: workers ? 'workers' : azureName }),
      ...rest,
      ...(ownTags.length === 0 ? {} : { tags: Object.fromEntries(ownTags) }),
    },
  };
  return withPlaceholders(made as unknown as JsonObject) as unknown as Manifest;
}

function templatesOf(manifests: Manifests, types: { plain: string; special: string }): Template[] {
  const nap = condition('enable-nap', "== 'true'");
  const pools = condition('enable-nap', "!= 'true'");
  const git = condition('git-url', "!= ''");
  const and = (a: string, b: string): string => `${a} && ${b}`;
  const cluster = manifests.one('ManagedCluster');
  const pooled = manifests.one('ManagedCluster', { nap: false, tainted: false });
  const kubeconfig = { secretName: `${placeholder('cluster-name')}-kubeconfig`, key: kubeconfigKey };
  const templates: Template[] = [];
  const add = (template: Template, when?: string): StepCall => {
    templates.push(template);
    return { template: template.name, ...(when === undefined ? {} : { when }) };
  };
  /** Several objects of one stage, one after the other. */
  const addAll = (name: string, all: readonly Manifest[], deadlineSeconds: number): StepCall[][] =>
    all.map((one, index) => [add(apply(index === 0 ? name : `${name}-${index + 1}`, one, { deadlineSeconds }))]);

  const labels = {
    ...manifests.one('ResourceGroup').metadata.labels,
    'argo-workflows/longest-name': `${placeholder('cluster-name')}-kubeconfig`,
  };
  const group = manifests.one('ResourceGroup');
  // A label value has 63 characters at most, so a name that is too long for what derives from it is refused before anything is created.
  const checkedGroup = { ...group, metadata: { ...group.metadata, labels } };
  const validate = sequence('validate-inputs', [
    [
      add(dryRun('validate-resource-group', checkedGroup)),
      add(dryRun('validate-cluster', cluster), nap),
      add(dryRun('validate-cluster-with-pools', pooled), pools),
    ],
  ]);

  const provision = sequence('provision', [
    ...addAll('create-resource-group', [group], 10 * minutes),
    ...addAll('create-identity', manifests.of('Identity'), 15 * minutes),
    [
      add(apply('create-managed-cluster', cluster, { awaits: false }), nap),
      add(apply('create-managed-cluster-with-pools', pooled, { awaits: false }), pools),
    ],
    [add(awaitObject('wait-for-cluster-ready', cluster, 45 * minutes))],
    // Argo does not compare generations: after a change the condition of before would do. kubectl does compare.
    [add(kubectl('wait-for-cluster-current', waitForCluster(cluster), { deadlineSeconds: 45 * minutes }))],
    ...addAll('create-federated-credentials', manifests.of('FederatedCredentials'), 15 * minutes),
    [add(kubectl('wait-for-karpenter', waitForKarpenter, { kubeconfig, deadlineSeconds: 15 * minutes }), nap)],
    [
      add(
        kubectl('create-karpenter-nodeclass', applyThere, {
          manifest: manifests.one('NodeClass'),
          kubeconfig,
          deadlineSeconds: 10 * minutes,
        }),
        nap,
      ),
    ],
    [
      ...([false, true] as const).flatMap((tainted) => {
        const ending = tainted ? '-tainted' : '';
        const when = tainted ? types.special : types.plain;
        const pool = manifests.one('NodePool', { nap: true, tainted });
        const how = { manifest: pool, kubeconfig, deadlineSeconds: 10 * minutes };
        const agentPool = manifests.one('AgentPools', { nap: false, tainted });
        return [
          add(kubectl(`create-karpenter-nodepool${ending}`, applyThere, how), and(nap, when)),
          add(apply(`create-agent-pool${ending}`, agentPool, { deadlineSeconds: 30 * minutes }), and(pools, when)),
        ];
      }),
    ],
    ...addAll('configure-cluster-addons', manifests.of('Flux'), 30 * minutes).map((group) =>
      group.map((call) => ({ ...call, when: git })),
    ),
    ...addAll('setup-flux-gitops', manifests.of('GitOps'), 30 * minutes).map((group) =>
      group.map((call) => ({ ...call, when: git })),
    ),
  ]);
  const main = sequence('main', [
    [{ template: validate.name }],
    [{ template: provision.name, when: condition('dry-run', "!= 'true'") }],
  ]);
  return [main, validate, provision, ...templates];
}

const waitForCluster = ({ metadata }: Manifest): string[] => [
  'wait',
  `--namespace=${metadata.namespace}`,
  '--for=condition=Ready',
  `managedclusters.containerservice.azure.com/${metadata.name}`,
  '--timeout=40m',
];

/** Node auto-provisioning may be on while its kinds are not served yet. */
const waitForKarpenter = [
  'wait',
  '--for=condition=Established',
  'customresourcedefinitions/aksnodeclasses.karpenter.azure.com',
  'customresourcedefinitions/nodepools.karpenter.sh',
  '--timeout=10m',
];

/** An Event, so that whoever watches the namespace learns how it ended without asking Argo. */
const notice = (namespace: string): Template => ({
  name: 'notify',
  resource: {
    action: 'create',
    manifest: [
      'apiVersion: v1',
      'kind: Event',
      'metadata:',
      '  generateName: provision-aks-cluster-',
      `  namespace: ${namespace}`,
      'involvedObject:',
      '  apiVersion: argoproj.io/v1alpha1',
      '  kind: Workflow',
      '  name: "{{workflow.name}}"',
      `  namespace: ${namespace}`,
      '  uid: "{{workflow.uid}}"',
      'reason: "Provisioning{{workflow.status}}"',
      `type: "{{=workflow.status == 'Succeeded' ? 'Normal' : 'Warning'}}"`,
      'message: "Cluster {{workflow.parameters.cluster-name}}: the workflow ended with {{workflow.status}}."',
      'reportingComponent: argo-workflows',
      '',
    ].join('\n'),
  },
});
