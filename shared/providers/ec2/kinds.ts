/** The node classes that the ec2 provider serves. */
import { ec2NodeClass } from './node-class/kind.ts';

export const ec2NodeClasses = [ec2NodeClass] as const;
