/** The node classes that the cloudstack provider serves. */
import { cloudStackNodeClass } from './node-class/kind.ts';

export const cloudStackNodeClasses = [cloudStackNodeClass] as const;
