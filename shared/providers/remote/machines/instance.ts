/** From a machine of a server to what the contract calls an instance. */
import { defined } from '../../../base/defined.ts';
import type { Instance } from '../../contract.ts';
import { instanceIdFor, providerIdFor } from '../instance-id.ts';
import { toHandle } from './handle.ts';
import type { OwnedMachine } from './machines.ts';
import type { Made, MadeStore } from './made.ts';

/** Between its create and its start a machine is off. */
const startingMs = 15 * 60_000;

export async function instanceOf(machine: OwnedMachine, kept: MadeStore, now: number): Promise<Instance> {
  const { server, name } = machine;
  const record = await kept.of(instanceIdFor(server, name));
  return toInstance(machine, record.made ?? machine.made, record.deletingAt, now);
}

export function toInstance(
  machine: OwnedMachine,
  made: Made | undefined,
  deletingAt: number | undefined,
  now: number,
): Instance {
  const { server, id, name, owner, power } = machine;
  const createdAt = made?.createdAt ?? 0;
  const isOn = power === 'On';
  const isStarting = !isOn && now - createdAt < startingMs;
  const state = deletingAt !== undefined ? 'deleting' : isStarting ? 'creating' : 'running';
  return {
    id: instanceIdFor(server, name),
    providerID: providerIdFor(server, name),
    ...(state === 'creating'
      ? {
          handle: toHandle({
            v: 1,
            of: 'remote',
            do: 'create',
            server,
            name,
            owner,
            id,
            at: createdAt,
          }),
        }
      : {}),
    owner,
    claimName: made?.claimName ?? machine.claimName,
    name: made?.name ?? name,
    // Without a record nobody knows what it was made as: the claim does.
    offering: {
      instanceType: made?.instanceType ?? '',
      zone: made?.zone ?? server,
      capacityType: made?.capacityType ?? 'on-demand',
    },
    state,
    createdAt,
    nodeName: name,
    ...(state === 'running' && !isOn
      ? {
          ending: {
            kind: 'instance_stopped' as const,
            reason: `machine ${name} of provider server ${server} is ${power || 'not on'}`,
          },
        }
      : {}),
    ...defined({
      imageID: made?.imageID,
      capacity: made?.capacity,
      allocatable: made?.allocatable,
      labels: made?.labels,
    }),
  };
}
