/** Kubernetes' own kinds, as the API server stores them: `Stored<V1Pod>`. */

import type { Loose, Wire } from '../base/wire.ts';
import type { KubeObject } from './contract.ts';

/** The API server has checked it: what it requires is there. `Slim` names a part of which any field may be missing. */
export type Stored<T, Slim extends keyof T = never> = KubeObject &
  Omit<Wire<T>, keyof KubeObject | Slim> & { [Part in Slim]?: Partial<Wire<NonNullable<T[Part]>>> };

/** We only look at it, and rely on nothing. */
export type LooselyStored<T> = KubeObject & Omit<Loose<T>, keyof KubeObject>;
