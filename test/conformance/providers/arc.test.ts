import { azureUnderTest } from './azure-harness.ts';
import { providerConformance } from './conformance.ts';

providerConformance('arc', azureUnderTest('arc'));
