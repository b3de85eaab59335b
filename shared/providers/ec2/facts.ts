/** What is known of EC2 without asking AWS, and without the code that asks: whom it serves, and how long things take. */
import type { ProviderTraits } from '../contract.ts';
import type { ProviderFacts } from '../wrap.ts';
import { instanceIds } from './instance-id.ts';
import { ec2NodeClasses } from './kinds.ts';
import type { Ec2Options } from './options.ts';

const ec2Traits = {
  idempotency: 'token',
  writeSeconds: 30,
  latenessSeconds: 60,
  // Tags and instances are shown some seconds after a launch, seldom later.
  listLagSeconds: 30,
  names: { maxLength: 63, pattern: 'dns-label', firstLetter: true },
  deadlines: { launchSeconds: 300, registrationSeconds: 900, initializationSeconds: 1800 },
  abilities: ['spot', 'interruption-notices'],
  // Sixty in all, as many as Karpenter sends: more would make the call slow and help nobody.
  alternatives: 59,
  capacityTypeOrder: ['reserved', 'spot', 'on-demand'],
} as const satisfies ProviderTraits;

export type Ec2Facts = Required<Omit<ProviderFacts, 'expires'>>;

export const ec2Facts = (
  options: Pick<Ec2Options, 'serveEc2NodeClasses' | 'writeSeconds' | 'latenessSeconds' | 'listLagSeconds'>,
): Ec2Facts => ({
  name: 'ec2',
  // Where Karpenter runs, these classes are its own, and so is their status.
  nodeClasses: options.serveEc2NodeClasses ? ec2NodeClasses : [],
  traits: {
    ...ec2Traits,
    writeSeconds: options.writeSeconds ?? ec2Traits.writeSeconds,
    latenessSeconds: options.latenessSeconds ?? ec2Traits.latenessSeconds,
    listLagSeconds: options.listLagSeconds ?? ec2Traits.listLagSeconds,
  },
  serves: options.serveEc2NodeClasses ? [{}] : [],
  instanceIds,
});
