/** The node classes that the provider `aks` serves; apart from its code, so that they are known before it is loaded. */
import { aksNodeClass, kaitoNodeClass } from '../agent-pools/node-classes/kinds.ts';

export const aksNodeClasses = [kaitoNodeClass, aksNodeClass] as const;
