/** Which volumes must be detached before the machine may go. Pure. */
import type { V1VolumeAttachment } from '@kubernetes/client-node';
import type { Stored } from '../../../kube/stored.ts';
import { isDrainable, type Pod } from './pods.ts';

export type VolumeAttachment = Stored<V1VolumeAttachment, 'spec'>;

/** The claims for volumes of pods that stay to the end: those volumes are detached by nobody before. */
export function stayingVolumeClaims(pods: readonly Pod[], now: number): { namespace: string; name: string }[] {
  return pods
    .filter((pod) => !isDrainable(pod, now))
    .flatMap(({ metadata, spec }) => {
      const namespace = metadata.namespace ?? 'default';
      return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
        if (persistentVolumeClaim) return [{ namespace, name: persistentVolumeClaim.claimName }];
        // Kubernetes makes the claim of an ephemeral volume, under this name.
        return ephemeral ? [{ namespace, name: `${metadata.name}-${name}` }] : [];
      });
    });
}

/** The volumes to wait for, by name. An inline volume has none, and ends with its pod. */
export const attachedVolumes = (
  attachments: readonly VolumeAttachment[],
  node: string,
  staying: ReadonlySet<string>,
): string[] =>
  attachments
    .filter(({ spec }) => spec?.nodeName === node)
    .flatMap(({ spec }) => spec?.source?.persistentVolumeName ?? [])
    .filter((volume) => !staying.has(volume))
    .sort();
