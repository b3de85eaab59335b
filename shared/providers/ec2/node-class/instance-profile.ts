/**
 * The instance profile of a class. A profile that the class names has to be there; for a role we make one ourselves, right
 * before the first launch, because a look at a class must not write. Its name follows from cluster and role, so that two who
 * make it at the same time make one, and classes with the same role share it.
 */
import { nodeCrypto } from '../../../base/node-modules.ts';
import { failed, ok, type Result } from '../../../base/result.ts';
import type { Ec2Calls } from '../calls/calls.ts';
import { codeIn } from '../calls/errors.ts';
import type { Ec2NodeClassSpec } from './schema.ts';

/** What names of profiles may hold; they have at most 128 characters. */
const longestReadable = 80;

export function profileOf(
  { role, instanceProfile }: Pick<Ec2NodeClassSpec, 'role' | 'instanceProfile'>,
  cluster: string,
): { name: string; role?: string } {
  if (instanceProfile !== undefined) return { name: instanceProfile };
  const roleName = role ?? '';
  const hash = nodeCrypto().createHash('sha256').update(`${cluster}\n${roleName}`).digest('hex').slice(0, 16);
  const readable = cluster.replaceAll(/[^A-Za-z0-9+=,.@_-]/g, '-').slice(0, longestReadable);
  return { name: `poolwright_${readable}_${hash}`, role: roleName };
}

/** What IAM allows in tags; EC2 allows anything. */
const iamTag = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u;

/** IAM refuses all for one tag that it does not allow, or that it has already in other capitals: such tags are left out. */
export function tagsForIam(tags: Readonly<Record<string, string>>): { Key: string; Value: string }[] {
  const seen = new Set<string>();
  return Object.entries(tags).flatMap(([Key, Value]) => {
    if (!iamTag.test(Key) || !iamTag.test(Value) || seen.has(Key.toLowerCase())) return [];
    seen.add(Key.toLowerCase());
    return [{ Key, Value }];
  });
}

export type ProfileState =
  /** `roles` is empty while a profile has none: then machines of it have no rights, and never join. */
  | { known: true; exists: true; roles: string[] }
  | { known: true; exists: false }
  /** Whoever looks may not read IAM; EC2 says at the launch what is wrong. */
  | { known: false };

export async function readProfile(
  calls: Pick<Ec2Calls, 'iam'>,
  name: string,
  signal: AbortSignal,
): Promise<Result<ProfileState>> {
  const answer = await calls.iam('GetInstanceProfile', { InstanceProfileName: name }, signal);
  if (answer.ok) {
    const roles = (answer.value.InstanceProfile?.Roles ?? []).flatMap(({ RoleName }) => RoleName ?? []);
    return ok({ known: true, exists: true, roles });
  }
  if (codeIn(answer.error) === 'NoSuchEntity') return ok({ known: true, exists: false });
  return answer.error.kind === 'unauthorised' ? ok({ known: false }) : answer;
}

/**
 * Makes the profile of a role if it is not there, and gives it the role if it has none: whoever died between the two is
 * followed by somebody who does the second.
 */
export async function makeProfile(
  calls: Pick<Ec2Calls, 'iam'>,
  { name, role, tags }: { name: string; role: string; tags: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<Result<void>> {
  const state = await readProfile(calls, name, signal);
  if (!state.ok) return state;
  if (state.value.known && state.value.exists && state.value.roles.length > 0) {
    if (state.value.roles.includes(role)) return ok(undefined);
    return failed(
      'not-ready',
      `the instance profile ${name} has the role ${state.value.roles.join(', ')} instead of ${role}: another user or tool changed it; set that role, or delete the profile to have it recreated`,
    );
  }
  if (!(state.value.known && state.value.exists)) {
    const Tags = tagsForIam(tags);
    const created = await calls.iam('CreateInstanceProfile', { InstanceProfileName: name, Tags }, signal);
    if (!created.ok && codeIn(created.error) !== 'EntityAlreadyExists') return created;
  }
  const added = await calls.iam('AddRoleToInstanceProfile', { InstanceProfileName: name, RoleName: role }, signal);
  if (added.ok) return ok(undefined);
  const code = codeIn(added.error);
  // A profile has one role; somebody who was faster has given it one, and the next look sees which.
  if (code === 'LimitExceeded' || code === 'EntityAlreadyExists') return ok(undefined);
  if (code === 'NoSuchEntity') {
    return failed('not-ready', `spec.role: role ${role} does not exist in this account; create it, or use another one`);
  }
  return added;
}
