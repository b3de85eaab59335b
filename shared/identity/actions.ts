/** Everything that a caller can change, with the role that it takes. The audit log names these; a name is never changed or reused. */
import type { Role } from './roles.ts';

interface ActionKind {
  readonly role: Role;
  /** What the caller did, for people. */
  readonly text: string;
}

const catalog = {
  pause: { role: 'operate', text: 'paused a cluster or a provider' },
  resume: { role: 'operate', text: 'lifted a pause' },
  replay: { role: 'operate', text: 'put dead letters back on the queue' },
  retry: { role: 'operate', text: 'retried a workflow that was set aside' },
  restart: { role: 'operate', text: 'restarted a workflow' },
  'request-cluster': { role: 'operate', text: 'requested a cluster' },
  'change-cluster': { role: 'operate', text: 'changed a request for a cluster' },
  'cancel-cluster': { role: 'operate', text: 'cancelled a request for a cluster' },
  'retry-cluster': { role: 'operate', text: 'retried a request for a cluster' },
  'delete-cluster': { role: 'operate', text: 'deleted a request for a cluster' },
  clear: { role: 'operate', text: 'cleared marks of unavailable offerings' },
  // What these do can't be undone, or changes which instances belong to this deployment.
  drop: { role: 'admin', text: 'deleted dead letters' },
  adopt: { role: 'admin', text: 'took over the instance of a claim' },
  confirm: { role: 'admin', text: 'confirmed the identity of a cluster' },
} satisfies Record<string, ActionKind>;

export type Action = keyof typeof catalog;

export const actions: Readonly<Record<Action, ActionKind>> = catalog;

export const actionNames = Object.keys(catalog) as Action[];
