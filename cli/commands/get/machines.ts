/** `get vms` and `get vmproviders`: the objects of virtual machines, whether they are ready, and why not. */
import type { Json } from '../../../shared/base/json.ts';
import type { Condition } from '../../../shared/base/kubernetes/object.ts';
import { systemClock } from '../../../shared/base/runtime.ts';
import { findCondition } from '../../../shared/kube/conditions.ts';
import { failureCodes, type KubeObject, type Resource } from '../../../shared/kube/contract.ts';
import { listAll } from '../../../shared/kube/list-all.ts';
import { machineKinds } from '../../../shared/machines/api/kinds.ts';
import type { ProviderSpec, ProviderStatus } from '../../../shared/machines/api/provider.ts';
import type { VirtualMachineSpec, VirtualMachineStatus } from '../../../shared/machines/api/virtual-machine.ts';
import { withCluster } from '../../reach/cluster-access.ts';
import { clusterProblem } from '../../reach/cluster-problem.ts';
import { withHostApi } from '../../reach/host-api.ts';
import { mustBeCluster } from '../../reach/which-cluster.ts';
import type { Listing } from '../../terminal/output/formats.ts';
import { ageSince } from '../../terminal/output/values.ts';
import type { Getting } from './getting.ts';
import { showListing } from './show-listing.ts';

interface MachineRow {
  namespace: string;
  name: string;
  uid: string;
  ready: string;
  phase: string;
  createdAt: string | undefined;
  why: string | undefined;
  /** What only this kind has. */
  more: { [field: string]: string | undefined };
}

interface MachineObject<Spec, Status> extends KubeObject {
  spec?: Partial<Spec>;
  status?: Status & { conditions?: Condition[] };
}

interface ShownKind {
  resource: Resource;
  /** Its own columns, by the field of `more`. */
  columns: Readonly<Record<string, string>>;
  phase(object: KubeObject): string | undefined;
  more(object: KubeObject): MachineRow['more'];
}

type Provider = MachineObject<ProviderSpec, ProviderStatus>;
const provider: ShownKind = {
  resource: machineKinds.provider,
  columns: { type: 'TYPE', vms: 'VMS', endpoint: 'ENDPOINT' },
  phase: (object: Provider) => object.status?.runtime?.phase,
  more: ({ spec, status }: Provider) => ({
    type: spec?.type,
    vms: status?.connectedVMs?.toString(),
    endpoint: spec?.endpoint,
  }),
};

type Machine = MachineObject<VirtualMachineSpec, VirtualMachineStatus>;
const machine: ShownKind = {
  resource: machineKinds.virtualMachine,
  columns: { provider: 'PROVIDER', class: 'CLASS', power: 'POWER', ips: 'IPS' },
  phase: (object: Machine) => object.status?.phase,
  more: ({ spec, status }: Machine) => ({
    provider: spec?.providerRef?.name,
    class: spec?.classRef?.name,
    power: status?.powerState,
    ips: status?.ips?.join(','),
  }),
};

export const getVmProviders = (getting: Getting): Promise<number> =>
  showListing(getting, (asked) => rowsOf(asked, provider), 'UnknownVMProvider', { selects: true });

export const getVms = (getting: Getting): Promise<number> =>
  showListing(getting, (asked) => rowsOf(asked, machine), 'UnknownVM', { selects: true });

async function rowsOf({ options }: Getting, kind: ShownKind): Promise<Listing<MachineRow>> {
  const { cluster, selector } = options;
  const rows: MachineRow[] = [];
  await withCluster(options, async (api) => {
    if (cluster !== undefined) await withHostApi(options, (host) => mustBeCluster(host, api, cluster));
    const listed = await listAll<KubeObject>(
      api,
      kind.resource,
      selector === undefined ? {} : { labelSelector: selector },
      { onStart: () => void rows.splice(0), onItem: (object) => void rows.push(rowOf(object, kind)) },
    );
    // A cluster need not have the definitions.
    if (!listed.ok && listed.error.code !== failureCodes.notServed)
      throw clusterProblem(listed.error, api, kind.resource);
  });
  const { group, kind: named } = kind.resource;
  return {
    rows,
    columns: [
      { title: 'NAMESPACE', text: ({ namespace }) => namespace },
      { title: 'NAME', text: ({ name }) => name },
      { title: 'READY', text: ({ ready }) => ready, style: ({ ready }) => (ready === 'True' ? 'green' : 'yellow') },
      { title: 'PHASE', text: ({ phase }) => phase },
      ...Object.entries(kind.columns).map(([field, title]) => ({
        title,
        text: ({ more }: MachineRow) => more[field] ?? '-',
      })),
      { title: 'AGE', spare: 1, text: ({ createdAt }) => ageSince(createdAt, systemClock.now()) },
      { title: 'UID', text: ({ uid }) => uid, wide: true },
      { title: 'WHY', text: ({ why }) => why ?? '' },
    ],
    name: ({ name }) => `${named.toLowerCase()}.${group}/${name}`,
    alias: ({ namespace, name }) => `${namespace}/${name}`,
    data: ({ more, createdAt, why, ...row }): Json => ({
      ...row,
      ...Object.fromEntries(Object.entries(more).map(([field, text]) => [field, text ?? null])),
      createdAt: createdAt ?? null,
      why: why ?? null,
    }),
    empty: `No ${kind.resource.plural}.`,
  };
}

function rowOf(object: KubeObject, kind: ShownKind): MachineRow {
  const { namespace = '', name, uid, creationTimestamp } = object.metadata;
  const ready = findCondition((object as MachineObject<object, object>).status?.conditions, 'Ready');
  return {
    namespace,
    name,
    uid,
    ready: ready?.status ?? 'Unknown',
    phase: kind.phase(object) ?? '-',
    createdAt: creationTimestamp,
    why: ready === undefined || ready.status === 'True' ? undefined : `${ready.reason}: ${ready.message}`,
    more: kind.more(object),
  };
}
