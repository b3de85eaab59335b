/** A cloud that takes one of many, around the simulated one: what is `out` is passed over and named in the answer. */

import type { RefusedOffering } from '../../shared/nodes/claims/choice/offerings.ts';
import { offeringKey } from '../../shared/nodes/claims/choice/offerings.ts';
import type { CreateRequest, Provider } from '../../shared/providers/contract.ts';

export interface Fleet {
  decorate: (provider: Provider) => Provider;
  /** What can't be had, by `type/zone/capacity type`. */
  readonly out: Map<string, RefusedOffering['kind']>;
  /** What each create asked for, the best first. */
  readonly asked: string[][];
  /** Labels that every machine reports, by its type. */
  reports: (instanceType: string) => Record<string, string>;
  /** Called when an instance was made, and before anybody hears of it. */
  afterCreate: (request: CreateRequest) => void | Promise<void>;
}

export function aFleet(): Fleet {
  const fleet: Fleet = {
    out: new Map(),
    asked: [],
    reports: () => ({}),
    afterCreate: () => {},
    decorate: (inner) => ({
      name: inner.name,
      nodeClasses: inner.nodeClasses,
      traits: { ...inner.traits, alternatives: 59, capacityTypeOrder: ['reserved', 'spot', 'on-demand'] },
      instanceIds: inner.instanceIds,
      beginDelete: (target, signal) => inner.beginDelete(target, signal),
      pollDelete: (handle, signal) => inner.pollDelete(handle, signal),
      find: (claim, signal) => inner.find(claim, signal),
      get: (owner, id, signal) => inner.get(owner, id, signal),
      list: (owner, page, signal) => inner.list(owner, page, signal),
      instanceTypes: (nodeClass, signal) => inner.instanceTypes(nodeClass, signal),
      async beginCreate(request, signal) {
        const all = [request.offering, ...(request.alternatives ?? [])];
        fleet.asked.push(all.map(offeringKey));
        // As a real fleet's client token: a repeat finds what the first one made, whatever it asks for.
        const { attempt: _, ...owner } = request.owner;
        const found = await inner.find({ ...owner, claimName: request.claimName }, signal);
        const before = found.ok ? found.value.find((one) => one.owner.attempt === request.owner.attempt) : undefined;
        const refused: RefusedOffering[] = [];
        for (const offering of before ? [before.offering] : all) {
          const kind = fleet.out.get(offeringKey(offering));
          if (kind === undefined || before) {
            const { alternatives: _alternatives, ...one } = request;
            const begun = await inner.beginCreate({ ...one, offering }, signal);
            if (!before) await fleet.afterCreate(request);
            return begun.ok ? { ok: true, value: { ...begun.value, refused } } : begun;
          }
          refused.push({ offering, kind, message: `${offeringKey(offering)} is out` });
        }
        const kind = refused.every((one) => one.kind === 'quota-exceeded') ? 'quota-exceeded' : 'insufficient-capacity';
        return { ok: false, error: { kind, message: 'the fleet has nothing of all this', refused } };
      },
      async pollCreate(handle, signal) {
        const polled = await inner.pollCreate(handle, signal);
        if (!polled.ok || !polled.value.done) return polled;
        const { instance } = polled.value;
        const labels = { ...instance.labels, ...fleet.reports(instance.offering.instanceType) };
        return { ok: true, value: { ...polled.value, instance: { ...instance, labels } } };
      },
    }),
  };
  return fleet;
}
