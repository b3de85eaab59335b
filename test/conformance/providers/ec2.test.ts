import { providerConformance } from './conformance.ts';
import { ec2UnderTest } from './ec2-harness.ts';

providerConformance('ec2', ec2UnderTest);
