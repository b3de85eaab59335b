/** The kubelets of all instances. */

import type { Clock } from '../../shared/base/runtime.ts';
import { labels as labelKeys } from '../../shared/nodes/claims/spec/well-known.ts';
import type { CatalogType } from '../cloud/catalog.ts';
import type { InstanceRecord } from '../cloud/instance.ts';
import { Kubelets } from '../cloud/kubelet.ts';
import { httpNodeApi, type KubeletAccess, type KubeletHook } from '../cloud/node-api.ts';
import type { MachineIdentity } from '../cloud/node-object.ts';
import type { Timeline } from '../kit/timeline.ts';
import type { Ec2Instance } from './instance.ts';
import type { AwsSettings } from './settings.ts';

interface RoomOptions {
  timeline: Timeline;
  region: string;
  settings: AwsSettings;
  types: ReadonlyMap<string, CatalogType>;
  clock: Clock;
  kubelet: KubeletHook | KubeletAccess | undefined;
  log: (message: string, fields: Record<string, unknown>) => void;
}

export class MachineRoom {
  readonly #kubelets: Kubelets | undefined;
  readonly #instances = new WeakMap<InstanceRecord, Ec2Instance>();

  constructor(options: RoomOptions) {
    const { kubelet, timeline, settings, types, clock, log, region } = options;
    if (kubelet === undefined) return;
    this.#kubelets = new Kubelets({
      api: 'clusterUrl' in kubelet ? httpNodeApi(kubelet) : kubelet,
      settings,
      types,
      clock,
      identify: (record, type) => {
        const instance = this.#instances.get(record);
        if (instance === undefined) throw new Error(`no instance has the machine ${record.id}`);
        return identityOf(instance, type, region);
      },
      reached: async (record, stage) => {
        record.nodeStage = stage;
      },
      lookAgainAt: (record, at) => timeline.plan(at, () => this.#kubelets?.look(record)),
      log,
    });
  }

  look(instance: Ec2Instance): void {
    this.#instances.set(instance.record, instance);
    this.#kubelets?.look(instance.record);
  }

  async idle(): Promise<void> {
    await this.#kubelets?.idle();
  }

  close(): void {
    this.#kubelets?.close();
  }
}

/** What the kubelet and the cloud controller manager say of an instance. */
function identityOf({ id, record, subnet }: Ec2Instance, type: CatalogType, region: string): MachineIdentity {
  return {
    providerID: `aws:///${subnet.zone.name}/${id}`,
    labels: {
      [labelKeys.instanceType]: record.request.instanceType,
      [labelKeys.arch]: type.arch,
      [labelKeys.os]: 'linux',
      [labelKeys.region]: region,
      [labelKeys.zone]: subnet.zone.name,
      'topology.k8s.aws/zone-id': subnet.zone.id,
    },
  };
}
