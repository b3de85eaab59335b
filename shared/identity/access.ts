/** What a route asks of its caller. Each route declares one of these, so that no route is open by mistake. */
import { type Action, actions } from './actions.ts';
import type { Caller } from './callers.ts';
import { includes, type Role } from './roles.ts';

/**
 * `open`: anyone. `cluster`: a cluster, about itself, or a caller who may operate. `read`: every caller with a role. An action: callers
 * with its role, and the audit log records it.
 */
export type Access = 'open' | 'cluster' | 'read' | Action;

/** The least role; undefined where none is needed. */
export function roleFor(access: Access): Role | undefined {
  switch (access) {
    case 'open':
      return undefined;
    case 'cluster':
      return 'operate';
    case 'read':
      return 'read';
    default:
      return actions[access].role;
  }
}

export const actionOf = (access: Access | undefined): Action | undefined =>
  access === undefined || access === 'open' || access === 'cluster' || access === 'read' ? undefined : access;

/** `cluster-only` and `role-too-low` say what the caller lacks. */
export type Verdict = 'allowed' | 'cluster-only' | 'role-too-low';

/** @param access Undefined for a path that does not exist: who may see the API may be told so. */
export function judge(caller: Caller, access: Access | undefined): Verdict {
  if (access === 'open') return 'allowed';
  if (caller.kind === 'cluster') return access === 'cluster' ? 'allowed' : 'cluster-only';
  const needed = access === undefined ? 'read' : roleFor(access);
  return needed === undefined || includes(caller.role, needed) ? 'allowed' : 'role-too-low';
}
