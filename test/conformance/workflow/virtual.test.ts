import { workflowConformance } from './conformance.ts';
import { makeVirtualHarness } from './virtual-harness.ts';

workflowConformance('virtual-clock', makeVirtualHarness);
