/** Whether the user data of a class is within the limits of CloudStack; what its variables add is seen when a machine is made. */
import { encodeUserData } from '../../../bootstrap/user-data.ts';
import type { NotReady } from './found.ts';
import type { CloudStackNodeClassSpec } from './schema.ts';

/** The usual value of CloudStack's own setting, which only an administrator can read; and more than that no request can have. */
export const usualUserData = 32_768;
export const mostUserData = 1_048_576;

/** @param most As the option `userDataLength` says. */
export function userDataProblem(
  { userData }: Pick<CloudStackNodeClassSpec, 'userData'>,
  most: number,
): NotReady | undefined {
  if (userData === undefined) return undefined;
  const because = 'vm.userdata.max.length of CloudStack, option userDataLength';
  const encoded = encodeUserData(userData, { most, because }, 'spec.userData');
  return encoded.ok ? undefined : { reason: 'UserDataTooLong', message: encoded.error.message };
}
