/** Whether the user data of a class can be sent: its variables are known, and it is within the limits of CloudStack. */
import type { Problem } from '../../../base/problems.ts';
import { parseTemplate } from '../../../bootstrap/template.ts';
import { encodeUserData, type UserDataLimits } from '../../../bootstrap/user-data.ts';
import type { NotReady } from './found.ts';
import type { CloudStackNodeClassSpec } from './schema.ts';

type UserData = Pick<CloudStackNodeClassSpec, 'userData' | 'userDataSettings'>;

const field = 'spec.userData';
/** CloudStack's own setting, which only an administrator can read, where nobody changed it. */
const usualLength = 32_768;
/** More than that no request can have, whatever an administrator has set. */
export const mostUserData = 1_048_576;

export const userDataLimits = (most = usualLength): UserDataLimits => ({
  most,
  because: 'vm.userdata.max.length of CloudStack; where an administrator has raised it, set the option userDataLength',
});

/** What is wrong with its variables; each with its line. */
export const templateProblems = ({ userData = '', userDataSettings }: UserData): Problem[] =>
  userDataSettings?.template === false ? [] : parseTemplate(userData, field).problems;

/** What its variables add is seen when a machine is made. */
export function userDataProblem({ userData, userDataSettings }: UserData, most?: number): NotReady | undefined {
  if (userData === undefined) return undefined;
  const encoded = encodeUserData(userData, userDataLimits(most), field, userDataSettings?.compress);
  return encoded.ok ? undefined : { reason: 'UserDataTooLong', message: encoded.error.message };
}
