/** The node classes that the remote provider serves. */
import { machineNodeClass } from './node-class/kind.ts';

export const remoteNodeClasses = [machineNodeClass] as const;
