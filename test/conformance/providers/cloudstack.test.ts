import { cloudStackUnderTest } from './cloudstack-harness.ts';
import { providerConformance } from './conformance.ts';

providerConformance('cloudstack, ids of ours', cloudStackUnderTest('admin'));
providerConformance('cloudstack, no idempotency', cloudStackUnderTest('user'));
