/** Objects of the operator as it reads them, and its marks on them. */
import type { JsonObject } from '../../shared/base/json.ts';
import type { KubeObject } from '../../shared/kube/contract.ts';
import type { ReadyCondition } from './conditions.ts';

export interface AsoObject extends KubeObject {
  apiVersion: string;
  kind: string;
  spec: JsonObject;
  status?: JsonObject & { conditions?: ReadyCondition[] };
}

const prefix = 'serviceoperator.azure.com';
export const marks = {
  finalizer: `${prefix}/finalizer`,
  policy: `${prefix}/reconcile-policy`,
  credential: `${prefix}/credential-from`,
  operator: `${prefix}/operator-namespace`,
  /** The ARM id; there before the first PUT ends. */
  resourceId: `${prefix}/resource-id`,
  /** A PUT or DELETE is under way. */
  poller: `${prefix}/poller-resume-token`,
  ownerName: `${prefix}/owner-name`,
  ownerKind: `${prefix}/owner-group-kind`,
  ownerUid: `${prefix}/owner-uid`,
} as const;
export const operatorNamespace = 'azureserviceoperator-system';

export type Policy = 'manage' | 'skip' | 'detach-on-delete';

/** What is no policy counts as the usual one, without a word. */
export const policyFrom = (given: string | undefined): Policy =>
  given === 'skip' || given === 'detach-on-delete' ? given : 'manage';

export const annotation = ({ metadata }: KubeObject, name: string): string | undefined => metadata.annotations?.[name];
export const readyOf = ({ status }: AsoObject): ReadyCondition | undefined =>
  status?.conditions?.find(({ type }) => type === 'Ready');

export const azureNameOf = ({ spec, metadata }: AsoObject): string =>
  typeof spec.azureName === 'string' && spec.azureName !== '' ? spec.azureName : metadata.name;

/** What becomes of a write that the API server refused: as a bug would, it ends the round, and the next begins afresh. */
export class WriteRefused extends Error {
  override readonly name = 'WriteRefused';
  readonly kind: string;

  constructor(kind: string, message: string) {
    super(message);
    this.kind = kind;
  }
}

export function must<T>(result: { ok: true; value: T } | { ok: false; error: { kind: string; message: string } }): T {
  if (!result.ok) throw new WriteRefused(result.error.kind, result.error.message);
  return result.value;
}
