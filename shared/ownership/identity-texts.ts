/** What a person reads when a cluster is not who it was. */
import type { Hindrance, Verdict } from './cluster-binding.ts';

const confirm = (name: string): string => `poolwright clusters confirm ${name}`;

/** Why the cluster is not served, and what to do; undefined if it is. */
export function refusalText(name: string, uid: string, verdict: Verdict): string | undefined {
  switch (verdict.is) {
    case 'known':
      return undefined;
    case 'twice':
      return `clusters.${verdict.sameAs} and clusters.${name} are the same cluster (the uid of kube-system is ${uid}); remove one of them. Until then the host does not serve ${name}, and collects no garbage in ${verdict.sameAs}.`;
    case 'changed-uid': {
      const { bound, disputedWith } = verdict;
      const whose = disputedWith === undefined ? '' : `, which belongs to cluster ${disputedWith}`;
      return `cluster ${name} reports the kube-system uid ${uid}${whose}; at the first contact it was ${bound.uid}. The host does not serve it. If the cluster was replaced on purpose, run: ${confirm(name)}`;
    }
    case 'changed-server':
      return `cluster ${name} answers from a server that the host does not know: neither its certificate authority nor its address is the one of the first contact. The host does not serve it. If you changed it, run: ${confirm(name)}`;
    case 'claims-other':
      return `cluster ${name} reports the kube-system uid ${uid}, which belongs to cluster ${verdict.disputedWith} on another server. The host does not serve ${name}. Remove it from the configuration; or, if ${name} is the right one, run: ${confirm(name)}`;
  }
}

export function hindranceText(uid: string, hindrance: Hindrance): string {
  if (hindrance.is === 'disputed') {
    return `several clusters of the configuration report the kube-system uid ${uid}; run poolwright clusters to see which`;
  }
  if (hindrance.is === 'confirming') {
    const { name } = hindrance;
    return `the confirmation of cluster ${name} was interrupted; the host completes it when ${name} answers, or run again: ${confirm(name)}`;
  }
  if (hindrance.is === 'rebound') {
    return `the kube-system uid ${uid} is no longer the one that is confirmed for this cluster; restart the host`;
  }
  const { names } = hindrance;
  const which = `cluster${names.length === 1 ? '' : 's'} ${names.join(', ')}`;
  return `the host has never reached ${which}; until it knows every cluster of the configuration, it cannot tell whose instances these are`;
}
