import { workflowConformance } from './conformance.ts';
import { makeLambdaHarness } from './lambda-harness.ts';

workflowConformance('Lambda durable', makeLambdaHarness);
