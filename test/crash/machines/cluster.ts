/** What the crash test asks of the cluster with the virtual machines, past all proxies. */
import { setTimeout as pause } from 'node:timers/promises';
import { defined } from '../../../shared/base/defined.ts';
import type { Json } from '../../../shared/base/json.ts';
import { toCrd } from '../../../shared/kube/crds/crd.ts';
import { machineDefinitions } from '../../../shared/machines/api/definitions.ts';
import { machineApiVersion, machineKinds } from '../../../shared/machines/api/kinds.ts';
import type { VirtualMachine } from '../../../shared/machines/core/objects.ts';
import { createHttpClient } from '../../../shared/net/http-client.ts';

const timeoutMs = 30_000;
export const team = 'team-a';
export const providerName = 'hall';
const root = `/apis/${machineApiVersion}`;

export type MachineCluster = ReturnType<typeof machineCluster>;

export function machineCluster(url: string) {
  const client = createHttpClient({ baseUrl: url, userAgent: 'crash-test' });
  type Method = 'GET' | 'POST' | 'DELETE' | 'PATCH';
  const ask = async (method: Method, path: string, body?: Json, fine: readonly number[] = []): Promise<Json> => {
    for (let attempt = 0; ; attempt++) {
      const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : undefined;
      const answer = await client.request({ method, path, timeoutMs, ...defined({ body, headers }) });
      if (answer.ok && (answer.status < 300 || fine.includes(answer.status))) return answer.json() ?? null;
      if (attempt >= 5) {
        throw new Error(`${method} ${path}: ${answer.ok ? `${answer.status} ${answer.text}` : answer.message}`);
      }
      await pause(100);
    }
  };
  const create = (plural: string, kind: string, name: string, spec: Json): Promise<Json> =>
    ask(
      'POST',
      `${root}/namespaces/${team}/${plural}`,
      { apiVersion: machineApiVersion, kind, metadata: { name, namespace: team }, spec },
      [409],
    );
  const pathOf = (name: string): string => `${root}/namespaces/${team}/virtualmachines/${name}`;
  return {
    async prepare(): Promise<void> {
      for (const definition of machineDefinitions) {
        const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
        await ask('POST', path, toCrd(definition, '0.0.0') as unknown as Json, [409]);
      }
      await ask('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: team } }, [409]);
      await create('providers', machineKinds.provider.kind, providerName, {
        type: 'mock',
        endpoint: 'tcp://hypervisor.example:1',
        rateLimit: { qps: 1000, burst: 2000 },
        runtime: { mode: 'Remote', image: 'example.com/mock:1' },
      });
      await create('vmclasses', machineKinds.class.kind, 'small', { cpu: 2, memory: '4Gi' });
      await create('vmimages', machineKinds.image.kind, 'ubuntu', { source: { libvirt: { path: '/ubuntu.qcow2' } } });
    },
    create: (name: string, spec: Record<string, Json>) =>
      create('virtualmachines', machineKinds.virtualMachine.kind, name, {
        providerRef: { name: providerName },
        classRef: { name: 'small' },
        imageRef: { name: 'ubuntu' },
        ...spec,
      }),
    change: (name: string, spec: Json) => ask('PATCH', pathOf(name), { spec }, [404, 409]),
    remove: (name: string) => ask('DELETE', pathOf(name), undefined, [404]),
    objects: async () =>
      ((await ask('GET', `${root}/virtualmachines`)) as unknown as { items: VirtualMachine[] }).items,
    close: () => client.close(),
  };
}
