/**
 * Which cluster is behind which name: the uid of its kube-system namespace says so. Two names for one cluster would make two
 * launches of one claim, so only the name that stands first in the configuration is served, and the other is closed off.
 */
import { type Failure, ok, type Result } from '../../base/result.ts';
import type { Log } from '../../observe/log/log.ts';
import { type ClusterApi, type KubeObject, namespaces } from '../contract.ts';

export interface ClusterIdentities {
  /** Asks once; a good answer serves for ever, because it never changes. A failed one is asked again. */
  identityOf(api: ClusterApi): () => Promise<Result<string>>;
  /** Why the cluster of this name must not be touched, or undefined. */
  refusalOf(name: string): Failure | undefined;
}

/** `names` in the order of the configuration. */
export function createIdentities(names: readonly string[], log: Log): ClusterIdentities {
  const byUid = new Map<string, string>();
  const refused = new Map<string, Failure>();

  /** Answers may come in any order: the first name wins, whoever came first. */
  const learn = (name: string, uid: string): void => {
    const other = byUid.get(uid);
    if (other === undefined || other === name) {
      byUid.set(uid, name);
      return;
    }
    const [kept, dropped] = names.indexOf(name) < names.indexOf(other) ? [name, other] : [other, name];
    byUid.set(uid, kept);
    const message = `clusters.${kept} and clusters.${dropped} are the same cluster (the uid of kube-system is ${uid}); remove one of them. Until then ${dropped} is not served.`;
    refused.set(dropped, { kind: 'invalid', message });
    log.write('cluster.twice', { cluster: dropped, sameAs: kept, problem: message });
  };

  return {
    refusalOf: (name) => refused.get(name),
    identityOf: (api) => {
      let known: string | undefined;
      let asking: Promise<Result<string>> | undefined;
      const ask = async (): Promise<Result<string>> => {
        const answer = await api.get<KubeObject>(namespaces, { name: 'kube-system' });
        if (!answer.ok) return answer;
        known = answer.value.metadata.uid;
        learn(api.name, known);
        return current();
      };
      const current = (): Result<string> => {
        const refusal = refused.get(api.name);
        return refusal === undefined ? ok(known ?? '') : { ok: false, error: refusal };
      };
      return async () => {
        if (known !== undefined) return current();
        asking ??= ask().finally(() => {
          asking = undefined;
        });
        return asking;
      };
    },
  };
}
