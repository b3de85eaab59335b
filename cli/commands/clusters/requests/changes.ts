/** A request of a cluster, followed by a watch: as it is, then each change, and undefined when it is gone. */

import { clusterRequests } from '../../../../shared/clusters/request/kind.ts';
import type { StoredRequest } from '../../../../shared/clusters/store/contract.ts';
import type { ClusterApi } from '../../../../shared/kube/contract.ts';
import { follow } from '../../../reach/follow.ts';
import { UserError } from '../../../terminal/user-error.ts';
import type { ReadRequest, RequestId } from './requests.ts';

type News = { kind: 'request'; read: ReadRequest } | { kind: 'gone' } | { kind: 'over'; error?: unknown };

export async function* changes(
  api: ClusterApi,
  { namespace, name }: RequestId,
  signal: AbortSignal,
): AsyncGenerator<ReadRequest | undefined> {
  const left = new AbortController();
  const waiting: News[] = [];
  let wake = (): void => undefined;
  const put = (news: News): void => {
    waiting.push(news);
    wake();
  };
  const isIt = (metadata: { namespace?: string; name: string }): boolean =>
    metadata.namespace === namespace && metadata.name === name;
  let found = false;
  const following = follow<StoredRequest>(api, {
    resource: clusterRequests,
    fieldSelector: `metadata.name=${name}`,
    onChange: (change) => {
      if (change.type === 'deleted' ? !isIt(change) : !isIt(change.object.metadata)) return;
      found = true;
      if (change.type === 'deleted') put({ kind: 'gone' });
      else put({ kind: 'request', read: { cluster: api.name, request: change.object } });
    },
    onSynced: () => {
      if (found) return;
      const text = `There is no request ${namespace}/${name} in cluster ${api.name}.`;
      put({ kind: 'over', error: new UserError(text, { code: 'UnknownClusterRequest' }) });
    },
    onTrouble: () => undefined,
    signal: AbortSignal.any([signal, left.signal]),
  }).then(
    () => put({ kind: 'over' }),
    (error: unknown) => put({ kind: 'over', error }),
  );
  try {
    for (;;) {
      const news = waiting.shift();
      if (news === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      } else if (news.kind === 'request') yield news.read;
      else if (news.kind === 'gone') return yield undefined;
      else if (news.error === undefined) return;
      else throw news.error;
    }
  } finally {
    left.abort();
    await following;
  }
}
