/** Kinds that a new cluster needs before Poolwright can make nodes for it: claims, pools and node classes, and no virtual machines. */
import type { Json } from '../../../../shared/base/json.ts';
import { clusterRequestKind } from '../../../../shared/clusters/request/kind.ts';
import { crdName } from '../../../../shared/kube/crds/crd-names.ts';
import { machineGroup } from '../../../../shared/machines/api/kinds.ts';
import { crdsOfRelease } from '../../../../shared/providers/definitions.ts';
import { version } from '../package-folder.ts';

let made: Promise<readonly Json[]> | undefined;

/** Made once: it takes a while, and is the same for every cluster. */
export function newClusterDefinitions(): Promise<readonly Json[]> {
  made ??= crdsOfRelease(version).then((definitions) =>
    definitions
      .filter(({ metadata }) => metadata.name !== crdName(clusterRequestKind))
      .filter(({ spec }) => spec.group !== machineGroup)
      .map((definition) => definition as unknown as Json),
  );
  return made;
}
