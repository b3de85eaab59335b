/** What is known of the provider without asking a server. */
import type { ProviderTraits } from '../contract.ts';
import type { ProviderFacts } from '../wrap.ts';
import { instanceIds } from './instance-id.ts';
import { remoteNodeClasses } from './kinds.ts';
import type { RemoteOptions } from './options.ts';

const usualTraits = {
  // Servers answer a create at once or after minutes: what takes longer than this is looked for by its name.
  writeSeconds: 60,
  latenessSeconds: 60,
  // Servers ask their hypervisor for each list.
  listLagSeconds: 10,
  names: { maxLength: 63, pattern: 'dns-label', firstLetter: true },
  deadlines: { launchSeconds: 1200, registrationSeconds: 900, initializationSeconds: 1800 },
  abilities: [],
} as const satisfies Omit<ProviderTraits, 'idempotency'>;

export type RemoteFacts = Required<Omit<ProviderFacts, 'expires' | 'serves'>>;

export const remoteFacts = (
  options: Pick<RemoteOptions, 'createsByName' | 'writeSeconds' | 'latenessSeconds' | 'listLagSeconds'>,
): RemoteFacts => ({
  name: 'remote',
  nodeClasses: remoteNodeClasses,
  traits: {
    ...usualTraits,
    idempotency: options.createsByName ? 'name' : 'none',
    writeSeconds: options.writeSeconds ?? usualTraits.writeSeconds,
    latenessSeconds: options.latenessSeconds ?? usualTraits.latenessSeconds,
    listLagSeconds: options.listLagSeconds ?? usualTraits.listLagSeconds,
  },
  instanceIds,
});
