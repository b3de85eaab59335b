import { arm } from './arm-harness.ts';
import { describeClusterDriver } from './conformance.ts';

describeClusterDriver(arm);
