/** Whether a cluster that a request has made is still the one that its record names; of another one nothing is asked but who it is. */
import type { Failure, Result } from '../../../../shared/base/result.ts';
import type { RegisteredCluster } from '../../../../shared/clusters/registered/contract.ts';
import { namespaces, type Resource } from '../../../../shared/kube/contract.ts';

export interface RecordedIdentity {
  checked(identity: () => Promise<Result<string>>): () => Promise<Result<string>>;
  refusalOf(asked?: { resource: Resource; name?: string | undefined }): Failure | undefined;
}

export function recordedIdentity({ name, uid }: Pick<RegisteredCluster, 'name' | 'uid'>): RecordedIdentity {
  let refusal: Failure | undefined;
  return {
    checked: (identity) => async () => {
      const answer = await identity();
      if (!answer.ok) return answer;
      const message = `cluster ${name} was registered with uid ${uid}, and reports ${answer.value}: another cluster answers at its address`;
      refusal = answer.value === uid ? undefined : { kind: 'invalid', message };
      return refusal === undefined ? answer : { ok: false, error: refusal };
    },
    refusalOf: (asked) => (asked?.resource === namespaces && asked.name === 'kube-system' ? undefined : refusal),
  };
}
