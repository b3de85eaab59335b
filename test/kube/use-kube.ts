/**
 * The real cluster of this run, for tests in `*.kube.test.ts`. It is shared: use names from `freshName`, or a namespace of
 * your own, and select by a label of your own where you list or watch.
 *
 * @example
 * const kube = useKube();
 * const api = kube.connect();
 */
import { inject } from 'vitest';
import { type KubeCluster, kubeCluster } from './cluster.ts';

export const useKube = (): KubeCluster => kubeCluster(inject('kube'));

let count = 0;

/** No other test of this run, nor of one before it on the same cluster, has this name. */
export const freshName = (prefix: string): string =>
  `${prefix}-${process.pid.toString(36)}-${Date.now().toString(36)}-${++count}`;
