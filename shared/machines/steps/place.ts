/** Where a machine's object is. In a cluster that another deployment owns, every step waits: this is the one place that sees to it. */
import { longestRetryAfterSeconds } from '../../base/backoff.ts';
import type { Failure } from '../../base/result.ts';
import type { MachinePlace, MachineRef, MachineServices } from '../services.ts';
import type { Again } from './answers.ts';

const misconfiguredSeconds = 60;
const readOnlySeconds = 15;

export const again = (seconds: number, why: string): Again => ({ do: 'again', seconds, why });

export async function findPlace(services: MachineServices, ref: MachineRef): Promise<MachinePlace | Again> {
  const place = services.place(ref.cluster);
  if (place === undefined) {
    return again(misconfiguredSeconds, `cluster ${ref.cluster} is not configured for virtual machines`);
  }
  const standing = await services.ownership.standing(ref.cluster);
  return standing.acts ? place : again(readOnlySeconds, standing.why);
}

export const isAgain = (found: object): found is Again => 'do' in found && found.do === 'again';

/** A failed read or write means nothing but "later". */
export const againAfter = ({ message, retryAfterSeconds = 0 }: Failure, seconds = 2): Again =>
  again(Math.min(Math.max(seconds, retryAfterSeconds), longestRetryAfterSeconds), message);

export const logFor = (services: Pick<MachineServices, 'log'>, { cluster, namespace, name, uid }: MachineRef) =>
  services.log.child({ cluster, machine: `${namespace}/${name}`, uid });
