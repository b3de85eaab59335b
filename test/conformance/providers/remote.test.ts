import { providerConformance } from './conformance.ts';
import { remoteUnderTest } from './remote-harness.ts';

providerConformance('remote, before servers of ours', remoteUnderTest('ours'));
providerConformance('remote, before servers of others', remoteUnderTest('others'));
