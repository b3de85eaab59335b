/** What is known of CloudStack without asking it, and without the code that asks: whom it serves, and how long things take. */
import type { ProviderTraits } from '../contract.ts';
import type { ProviderFacts } from '../wrap.ts';
import { instanceIds } from './instance-id.ts';
import { cloudStackNodeClasses } from './kinds.ts';
import type { CloudStackOptions } from './options.ts';

const cloudStackTraits = {
  // The call looks for groups and addresses before it deploys.
  writeSeconds: 60,
  latenessSeconds: 60,
  // A deploy is in the database before it is answered; a cluster of management servers shares that database.
  listLagSeconds: 10,
  names: { maxLength: 63, pattern: 'dns-label', firstLetter: true },
  deadlines: { launchSeconds: 900, registrationSeconds: 900, initializationSeconds: 1800 },
  abilities: ['spot'],
  capacityTypeOrder: ['spot', 'on-demand'],
} as const satisfies Omit<ProviderTraits, 'idempotency'>;

export type CloudStackFacts = Required<Omit<ProviderFacts, 'expires' | 'serves'>>;

export const cloudStackFacts = (
  options: Pick<CloudStackOptions, 'customIds' | 'writeSeconds' | 'latenessSeconds' | 'listLagSeconds'>,
): CloudStackFacts => ({
  name: 'cloudstack',
  nodeClasses: cloudStackNodeClasses,
  traits: {
    ...cloudStackTraits,
    idempotency: options.customIds ? 'name' : 'none',
    writeSeconds: options.writeSeconds ?? cloudStackTraits.writeSeconds,
    latenessSeconds: options.latenessSeconds ?? cloudStackTraits.latenessSeconds,
    listLagSeconds: options.listLagSeconds ?? cloudStackTraits.listLagSeconds,
  },
  instanceIds,
});
