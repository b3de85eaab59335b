/** User data by the family of the image: what makes the node join, and what the class brings. */
import { ok, type Result } from '../../../../base/result.ts';
import type { AmiFamily } from '../schema.ts';
import { al2UserData } from './al2.ts';
import { al2023UserData } from './al2023.ts';
import { bottlerocketUserData } from './bottlerocket.ts';
import { checkedSize, type UserDataInput } from './input.ts';
import { windowsUserData } from './windows.ts';

/** @returns `invalid` where the class's own part can't be merged, or all of it is too large for EC2. */
export function userDataFor(family: AmiFamily, input: UserDataInput): Result<string> {
  // Before it is read: what is too large by itself does not get smaller.
  const own = checkedSize(input.userData ?? '');
  if (!own.ok) return own;
  const made = make(family, input);
  return made.ok ? checkedSize(made.value) : made;
}

function make(family: AmiFamily, input: UserDataInput): Result<string> {
  switch (family) {
    case 'AL2':
      return al2UserData(input);
    case 'AL2023':
      return al2023UserData(input);
    case 'Bottlerocket':
      return bottlerocketUserData(input);
    case 'Custom':
      return ok(input.userData ?? '');
    default:
      return ok(windowsUserData(input));
  }
}
