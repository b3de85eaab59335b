import { aso } from './aso-harness.ts';
import { describeClusterDriver } from './conformance.ts';

describeClusterDriver(aso);
