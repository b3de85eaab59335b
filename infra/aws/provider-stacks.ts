/** What providers bring to the stack: `aws-stack.ts` in the folder of those that need anything on AWS. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { ProviderStack } from '../../shared/platforms/aws/stack-right.ts';
import { deployedProviders } from '../../shared/providers/deployed.ts';

const providers = join(import.meta.dirname, '../../shared/providers');
// osls wants its answers at once, and so this is not loaded by import().
const require = createRequire(import.meta.url);

const stacks: ReadonlyMap<string, ProviderStack> = new Map(
  deployedProviders.flatMap(({ type }) => {
    const file = join(providers, type, 'aws-stack.ts');
    return existsSync(file) ? [[type, require(file) as ProviderStack]] : [];
  }),
);

export const providerStacks: readonly ProviderStack[] = [...stacks.values()];

/** Undefined: a provider of another cloud. */
export const stackOf = (type: string): ProviderStack | undefined => stacks.get(type);

/** What EventBridge sends about instances. It is about everyone's instances: the watcher drops what is not ours, because no pattern can know. */
export const notices: ProviderStack['notices'] = Object.assign({}, ...providerStacks.map((stack) => stack.notices));
