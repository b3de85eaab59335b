/** Whether the user data of a class is within the limits of CloudStack; what its variables add is seen when a machine is made. */
import { encodeUserData, type UserDataLimits } from '../../../bootstrap/user-data.ts';
import type { NotReady } from './found.ts';
import type { CloudStackNodeClassSpec } from './schema.ts';

/** The usual value of CloudStack's own setting, which only an administrator can read. */
export const userDataLimits: UserDataLimits = {
  most: 32_768,
  because: 'vm.userdata.max.length of CloudStack, as it is where nobody changed it',
};

export function userDataProblem({ userData }: Pick<CloudStackNodeClassSpec, 'userData'>): NotReady | undefined {
  if (userData === undefined) return undefined;
  const encoded = encodeUserData(userData, userDataLimits, 'spec.userData');
  return encoded.ok ? undefined : { reason: 'UserDataTooLong', message: encoded.error.message };
}
