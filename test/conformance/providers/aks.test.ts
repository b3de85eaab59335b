import { azureUnderTest } from './azure-harness.ts';
import { providerConformance } from './conformance.ts';

providerConformance('aks', azureUnderTest('aks'));
