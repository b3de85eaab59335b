/** Builders for the conformance suite. */
import { expect } from 'vitest';
import type { ErrorKind, Failure, Result } from '../../../shared/base/result.ts';
import { claimScopedName, instanceName, instanceToken } from '../../../shared/nodes/claims/attempt/names.ts';
import type {
  ClaimKey,
  CreateProgress,
  CreateRequest,
  Instance,
  InstanceTags,
  Provider,
} from '../../../shared/providers/contract.ts';
import { plainFacts } from '../../stand-ins/provider-context.ts';
import type { ProviderHarness } from './harness.ts';

export const patience = (): AbortSignal => new AbortController().signal;

export const anOwner = (overrides: Partial<InstanceTags> = {}): InstanceTags => ({
  deployment: 'main',
  cluster: '6f1c1a2e-0000-4000-8000-000000000001',
  claimUid: 'c1a1-0001',
  attempt: 1,
  ...overrides,
});

/** One claim, one name. */
const nameOf = ({ claimUid }: Pick<InstanceTags, 'claimUid'>): string => `web-${claimUid}`;

/** Name and token as the lifecycle makes them. */
export function aRequest(harness: ProviderHarness, owner: Partial<InstanceTags> = {}): CreateRequest {
  const whole = anOwner(owner);
  const { names, idempotency } = harness.provider.traits;
  const claimName = nameOf(whole);
  const of = { claimName, uid: whole.claimUid };
  return {
    owner: whole,
    claimName,
    claim: { ...plainFacts, labels: { team: 'web' }, requests: { storage: '100Gi' } },
    name:
      idempotency === 'claim-name'
        ? claimScopedName(of, names)
        : instanceName({ ...of, attempt: whole.attempt }, names),
    token: instanceToken(whole.claimUid, whole.attempt),
    offering: harness.offering,
    nodeClass: harness.nodeClass,
    labels: { team: 'web' },
    taints: [{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }],
  };
}

export function value<T>(result: Result<T>): T {
  if (!result.ok) expect.fail(`${result.error.kind}: ${result.error.message}`);
  return result.value;
}

export function failure<T>(result: Result<T>, kind: ErrorKind): Failure {
  if (result.ok) expect.fail(`it should have been ${kind}, and it was ${JSON.stringify(result.value)}`);
  expect(result.error).toMatchObject({ kind });
  expect(result.error.message).not.toBe('');
  return result.error;
}

/** Polls just when the provider says, and counts. */
export async function untilCreated(
  harness: ProviderHarness,
  begun: CreateProgress,
  provider: Provider = harness.provider,
): Promise<{ instance: Instance; polls: number }> {
  let progress = begun;
  for (let polls = 0; ; polls++) {
    if (progress.done) return { instance: progress.instance, polls };
    if (polls === 20) expect.fail('the instance is not there after 20 polls');
    await harness.advance(progress.retryAfterSeconds);
    progress = value(await provider.pollCreate(progress.handle, patience()));
  }
}

export async function created(harness: ProviderHarness, owner: Partial<InstanceTags> = {}): Promise<Instance> {
  const begun = value(await harness.provider.beginCreate(aRequest(harness, owner), patience()));
  return (await untilCreated(harness, begun)).instance;
}

export async function untilDeleted(
  harness: ProviderHarness,
  { id, owner }: Pick<Instance, 'id' | 'owner'>,
): Promise<number> {
  let progress = value(await harness.provider.beginDelete({ id, owner }, patience()));
  for (let polls = 0; ; polls++) {
    if (progress.done) return polls;
    if (polls === 20) expect.fail('the instance is still there after 20 polls');
    await harness.advance(progress.retryAfterSeconds);
    progress = value(await harness.provider.pollDelete(progress.handle, patience()));
  }
}

/** By which the instances of a claim are found. */
export function aKey(owner: Partial<InstanceTags> = {}): ClaimKey {
  const { attempt: _, ...whole } = anOwner(owner);
  return { ...whole, claimName: nameOf(whole), createdAt: plainFacts.createdAt };
}

/** What `find` shows after the longest time that a list may lag. */
export async function foundOf(harness: ProviderHarness, owner: Partial<InstanceTags> = {}): Promise<Instance[]> {
  await harness.advance(harness.provider.traits.listLagSeconds);
  return value(await harness.provider.find(aKey(owner), patience()));
}

export const ids = (instances: readonly Instance[]): string[] => instances.map(({ id }) => id).sort();
