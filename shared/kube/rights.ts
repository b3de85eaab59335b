/**
 * Every right that Poolwright needs in a cluster, and why: the one list. The manifests in `rbac/` and in the chart are
 * generated from it, a host asks the API server for each of them when it connects, and the tests on a real server run with
 * exactly these. Nothing here is for convenience: taking one away breaks what its `why` says.
 */

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

export interface Right {
  readonly group: string;
  /** A plural, or `plural/subresource`. */
  readonly resource: string;
  readonly verbs: readonly Verb[];
  /** Only in this namespace. Absent: in the whole cluster. */
  readonly namespace?: string;
  /** Only objects of these names. (`create` can't be limited so: the server does not know the name yet.) */
  readonly names?: readonly string[];
  readonly why: string;
  /** Without it something is missing, but claims are served: it is not asked for when a cluster is connected. */
  readonly optional?: true;
}

export type AccountName =
  | 'bridge'
  | 'provisioner'
  | 'reader'
  | 'operator'
  | 'installer'
  | 'credentials'
  | 'requests'
  | 'providers'
  | 'machines';

export interface RightsOptions {
  /** The node classes of the providers that are used. */
  readonly nodeClasses: readonly { group: string; plural: string; optional?: boolean }[];
  /** Where the chart is installed. */
  readonly namespace: string;
  readonly lease: { namespace: string; name: string };
  /** With the credentials of clouds, where they are kept in the cluster. */
  readonly secrets?: readonly { namespace: string; name: string; why: string }[];
  /** What requests for clusters take, where they are carried out. */
  readonly requests?: readonly Right[];
  /** What Providers of virtual machines take, where their pods are made. */
  readonly providers?: readonly Right[];
  /** What virtual machines take, where they are carried out. */
  readonly machines?: readonly Right[];
}

const karpenter = 'karpenter.sh';
const read: readonly Verb[] = ['get', 'list', 'watch'];

export function rightsOf(options: RightsOptions): Record<AccountName, Right[]> {
  const { nodeClasses, namespace, lease, secrets = [], requests = [], providers = [], machines = [] } = options;
  // A kind that need not be there is another provisioner's: it is read where it is, and never written.
  const ofClasses = (verbs: readonly Verb[], why: string, subresource = ''): Right[] =>
    nodeClasses
      .filter(({ optional }) => !optional || subresource === '')
      .map(({ group, plural, optional }) => {
        const right: Right = { group, resource: `${plural}${subresource}`, verbs, why };
        return optional ? { ...right, optional } : right;
      });
  const identity: Right = {
    group: '',
    resource: 'namespaces',
    verbs: ['get'],
    names: ['kube-system'],
    why: 'its uid identifies the cluster, in every tag and in every bookmark',
  };
  const settings = (why: string): Right => ({
    group: '',
    resource: 'configmaps',
    verbs: ['get'],
    namespace,
    names: ['poolwright-settings'],
    why,
  });

  const bridge: Right[] = [
    { group: karpenter, resource: 'nodeclaims', verbs: ['list', 'watch'], why: 'reports changed claims' },
    { group: karpenter, resource: 'nodepools', verbs: ['list', 'watch'], why: 'reports scaled pools' },
    ...ofClasses(['list', 'watch'], 'reports changed node classes'),
    { group: '', resource: 'nodes', verbs: ['list', 'watch'], why: 'reports nodes that join, become ready or leave' },
    {
      group: 'poolwright.dev',
      resource: 'clusterrequests',
      verbs: ['list', 'watch'],
      why: 'reports changed requests for clusters (--cluster-requests)',
      optional: true,
    },
    identity,
  ];

  const provisioner: Right[] = [
    {
      group: karpenter,
      resource: 'nodeclaims',
      verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
      why: "reads claims and writes their finalizer, labels and attempt; creates and deletes the claims of static pools; deletes a pool's claim that cannot be launched",
    },
    { group: karpenter, resource: 'nodeclaims/status', verbs: ['patch'], why: 'writes conditions, node and capacity' },
    {
      group: karpenter,
      resource: 'nodeclaims/finalizers',
      verbs: ['update'],
      why: 'a Node has an owner reference to its claim that blocks deletion; some clusters require this permission for it',
    },
    { group: karpenter, resource: 'nodepools', verbs: read, why: 'keeps the number of claims that a static pool sets' },
    {
      group: karpenter,
      resource: 'nodepools/status',
      verbs: ['patch'],
      why: 'writes the number of claims, for kubectl scale',
    },
    {
      group: karpenter,
      resource: 'nodepools/finalizers',
      verbs: ['update'],
      why: 'a claim has an owner reference to its pool that blocks deletion; some clusters require this permission for it',
    },
    ...ofClasses(read, 'reads the node class of a claim'),
    ...ofClasses(['patch'], 'writes what the selectors resolved to, and whether the class is ready', '/status'),
    {
      group: '',
      resource: 'nodes',
      verbs: ['get', 'list', 'watch', 'patch', 'delete'],
      why: 'registers a node with labels, taints and finalizer; taints it for the drain; deletes it with its machine',
    },
    {
      group: '',
      resource: 'pods',
      verbs: ['list', 'delete'],
      why: 'drains a node; deletes pods that exceed the termination grace period',
    },
    { group: '', resource: 'pods/eviction', verbs: ['create'], why: 'drains a node within the disruption budgets' },
    {
      group: '',
      resource: 'persistentvolumeclaims',
      verbs: ['get'],
      why: 'distinguishes volumes of pods that stay on the node from volumes that must be detached',
    },
    {
      group: 'storage.k8s.io',
      resource: 'volumeattachments',
      verbs: ['list'],
      why: 'waits until the volumes of a drained node are detached',
    },
    identity,
    {
      group: 'apiextensions.k8s.io',
      resource: 'customresourcedefinitions',
      verbs: ['get'],
      names: [
        `nodeclaims.${karpenter}`,
        `nodepools.${karpenter}`,
        ...nodeClasses.map(({ group, plural }) => `${plural}.${group}`),
      ],
      why: 'checks that the CRDs exist and are new enough, before a machine is created',
    },
    {
      group: '',
      resource: 'events',
      verbs: ['create', 'get', 'patch'],
      namespace: 'default',
      why: 'writes Events about claims, pools and node classes; Events of cluster-scoped objects are in this namespace',
    },
    {
      group: '',
      resource: 'events',
      verbs: ['create'],
      namespace: lease.namespace,
      why: 'writes Events on the Lease about which deployment manages the cluster',
    },
    {
      group: 'coordination.k8s.io',
      resource: 'leases',
      verbs: ['create'],
      namespace: lease.namespace,
      why: 'creates the Lease that names the deployment that manages the cluster',
    },
    {
      group: 'coordination.k8s.io',
      resource: 'leases',
      verbs: ['get', 'patch'],
      namespace: lease.namespace,
      names: [lease.name],
      why: 'renews that Lease',
    },
    {
      group: 'coordination.k8s.io',
      resource: 'leases',
      verbs: ['get'],
      namespace: 'kube-system',
      names: ['karpenter-leader-election'],
      why: 'detects a Karpenter that runs outside the cluster',
      optional: true,
    },
    {
      group: 'apps',
      resource: 'deployments',
      verbs: ['list'],
      why: 'detects a Karpenter or gpu-provisioner that serves the same claims',
      optional: true,
    },
    settings('reads the settings of the cluster; a change takes effect without a redeploy'),
  ];

  const reader: Right[] = [
    { group: karpenter, resource: 'nodeclaims', verbs: read, why: 'reads claims' },
    { group: karpenter, resource: 'nodepools', verbs: read, why: 'reads pools' },
    ...ofClasses(read, 'reads node classes'),
    { group: '', resource: 'nodes', verbs: read, why: 'reads nodes' },
    {
      group: '',
      resource: 'events',
      verbs: ['list'],
      namespace: 'default',
      why: 'shows the Events of kubectl describe',
    },
    {
      group: 'coordination.k8s.io',
      resource: 'leases',
      verbs: ['get'],
      namespace: lease.namespace,
      names: [lease.name],
      why: 'shows which deployment manages the cluster',
    },
    settings('reads the settings of the cluster'),
  ];

  const operator: Right[] = [
    ...reader,
    {
      group: karpenter,
      resource: 'nodeclaims',
      verbs: ['create', 'patch', 'delete'],
      why: 'creates and deletes claims by hand',
    },
    { group: karpenter, resource: 'nodepools', verbs: ['create', 'patch', 'delete'], why: 'creates and changes pools' },
    { group: karpenter, resource: 'nodepools/scale', verbs: ['get', 'patch'], why: 'kubectl scale nodepool' },
    ...ofClasses(['create', 'patch', 'delete'], 'creates and changes node classes'),
    {
      group: 'coordination.k8s.io',
      resource: 'leases',
      verbs: ['delete'],
      namespace: lease.namespace,
      names: [lease.name],
      why: 'hands a cluster over to another deployment',
    },
  ];

  const installer: Right[] = [
    {
      group: 'apiextensions.k8s.io',
      resource: 'customresourcedefinitions',
      verbs: ['get', 'create'],
      why: 'poolwright crds install: creates missing CRDs, and replaces none',
    },
  ];

  const credentials = secrets.map(
    ({ namespace: where, name, why }): Right => ({
      group: '',
      resource: 'secrets',
      verbs: ['get'],
      namespace: where,
      names: [name],
      why,
      optional: true,
    }),
  );
  return {
    bridge,
    provisioner,
    reader,
    operator,
    installer,
    credentials,
    requests: [...requests],
    providers: [...providers],
    machines: [...machines],
  };
}
