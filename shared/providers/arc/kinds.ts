/** The node classes that the provider `arc` serves; apart from its code, so that they are known before it is loaded. */
import { aksNodeClass, arcNodeClass, kaitoNodeClass } from '../agent-pools/node-classes/kinds.ts';

export const arcNodeClasses = [arcNodeClass, kaitoNodeClass, aksNodeClass] as const;
