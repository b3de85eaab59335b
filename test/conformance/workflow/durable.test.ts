import { workflowConformance } from './conformance.ts';
import { makeDurableHarness } from './durable-harness.ts';

workflowConformance('Durable Functions', makeDurableHarness);
