import { providerConformance } from './conformance.ts';
import { simUnderTest } from './sim-harness.ts';

providerConformance('sim, client tokens', simUnderTest('token'));
providerConformance('sim, one name per attempt', simUnderTest('name'));
providerConformance('sim, one name per claim', simUnderTest('claim-name'));
providerConformance('sim, nothing that makes a repeat harmless', simUnderTest('none'));
