/** Refreshes the instance types of every node class before claims need them, so that no claim waits for a price list. */

import type { Json } from '../../shared/base/json.ts';
import type { KubeObject, Resource } from '../../shared/kube/contract.ts';
import { listAll } from '../../shared/kube/list-all.ts';
import { catalogFor } from '../../shared/nodes/offerings/catalog.ts';
import { unavailableOfferings } from '../../shared/nodes/offerings/unavailable-offerings.ts';
import type { TimerFunction } from '../declaration.ts';

type StoredNodeClass = KubeObject & { spec?: Json };

export const refreshOfferings: TimerFunction = {
  name: 'refresh-offerings',
  trigger: { type: 'timer', every: 'offerings' },
  async run(services, clusterName, signal) {
    const cluster = services.cluster(clusterName);
    if (!cluster) return;
    for (const provider of cluster.providers) {
      for (const { group, version, kind, plural, optional } of provider.nodeClasses) {
        const resource: Resource = { group, version, kind, plural, namespaced: false };
        const log = services.log.child({
          cluster: clusterName,
          provider: provider.name,
          function: 'refresh-offerings',
        });
        const listed = await listAll<StoredNodeClass>(
          cluster.api,
          resource,
          {},
          {
            onItem: async ({ metadata, spec }) => {
              const nodeClass = { name: metadata.name, spec: spec ?? {}, uid: metadata.uid };
              const answer = await catalogFor(services, provider, nodeClass, signal, { askProvider: true });
              if (!answer.ok) log.write('provider.failed', { nodeClass: metadata.name, problem: answer.error.message });
            },
          },
          signal,
        );
        // A kind that need not be there often has no definition, which looks like a server that does not answer.
        if (!listed.ok && !(optional && listed.error.kind === 'unavailable'))
          log.write('resync.failed', { resource: plural, problem: listed.error.message });
      }
      const marks = await unavailableOfferings(services, provider.name);
      services.metrics.offeringsUnavailable.set({ provider: provider.name }, marks.size);
    }
  },
};
