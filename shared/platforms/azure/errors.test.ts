import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../base/json.ts';
import { manualClock } from '../../base/runtime.ts';
import { readPool, readPoolList } from '../../providers/agent-pools/pool-body.ts';
import type { ArmAnswer } from './arm-error.ts';
import { azureCodes } from './error-rules.ts';
import { type AzureRequest, failureOf, notUnderstood } from './errors.ts';
import { askOperation } from './operation.ts';

const clock = manualClock();
const write: AzureRequest = { write: true, what: 'create agent pool a', poolName: 'a' };
const read: AzureRequest = { write: false, what: 'read agent pool a', poolName: 'a' };
const answer = (status: number, body?: Json, headers: Record<string, string> = {}): ArmAnswer => ({
  status,
  headers,
  body,
});
/** As ARM has it, and as the container service has it. */
const wrapped = (code: string, message: string): Json => ({ error: { code, message } });
const flat = (code: string, message: string): Json => ({ code, details: null, message, subcode: '' });

const familyQuota = (limit: number): string =>
  `Operation could not be completed as it results in exceeding approved standardNCSv3Family Cores quota. Additional details - Deployment Model: Resource Manager, Location: eastus, Current Limit: ${limit}, Current Usage: ${limit}, Additional Required: 12, (Minimum) New Limit Required: ${limit + 12}.`;

describe('what marks an offering, and for how long', () => {
  it.each<[string, string, string, boolean, string, number]>([
    [
      'spot quota',
      'OperationNotAllowed',
      'exceeding approved LowPriorityCores quota. Current Limit: 3',
      true,
      'quota-exceeded',
      3600,
    ],
    ['a used-up family', 'OperationNotAllowed', familyQuota(24), false, 'quota-exceeded', 600],
    ['a family without quota', 'OperationNotAllowed', familyQuota(0), false, 'quota-exceeded', 3600],
    [
      'the cores of a region',
      'OperationNotAllowed',
      'exceeding approved Total Regional Cores quota. Current Limit: 10',
      false,
      'quota-exceeded',
      600,
    ],
    [
      'the quota check of AKS',
      'ErrCode_InsufficientVCPUQuota',
      'Insufficient vcpu quota requested 24, remaining 0 for family standardNCSv3Family for region eastus.',
      false,
      'quota-exceeded',
      600,
    ],
    [
      'a size that is closed on demand',
      'SkuNotAvailable',
      'The requested size is currently not available in location eastus.',
      false,
      'insufficient-capacity',
      82_800,
    ],
    [
      'a size that is closed as spot',
      'SkuNotAvailable',
      'The requested size is currently not available in location eastus.',
      true,
      'insufficient-capacity',
      3600,
    ],
    [
      'a zone without machines',
      'ZonalAllocationFailed',
      'Allocation failed. We do not have sufficient capacity in this zone.',
      false,
      'insufficient-capacity',
      3600,
    ],
    ['a region without machines', 'AllocationFailed', 'Allocation failed.', false, 'insufficient-capacity', 3600],
    [
      'wishes that exclude each other',
      'OverconstrainedAllocationRequest',
      'No fit.',
      false,
      'insufficient-capacity',
      3600,
    ],
    [
      'a size that is not for us',
      'BadRequest',
      "The VM size of Standard_ND96 is not allowed in your subscription in location 'eastus'.",
      false,
      'insufficient-capacity',
      82_800,
    ],
  ])('%s', async (_, code, message, spot, kind, seconds) => {
    for (const body of [wrapped(code, message), flat(code, message)]) {
      expect(failureOf(answer(400, body), { ...write, spot }, clock)).toMatchObject({
        kind,
        retryAfterSeconds: seconds,
      });
    }
    // An operation that fails later says the same, deep inside.
    const nested = { code: 'CreateVMSSAgentPoolFailed', message: 'failed', details: [{ code, message }] };
    const handle = { url: 'https://arm/op', by: 'azure-async-operation', spot } as const;
    const status = await askOperation(handle, 'https://arm', clock, async () => ({
      ok: true,
      value: answer(200, { status: 'Failed', error: nested }),
    }));
    expect(status).toMatchObject({ value: { state: 'failed', failure: { kind, retryAfterSeconds: seconds } } });
  });

  it.each([
    ['OperationNotAllowed', familyQuota(24), azureCodes.familyQuota],
    ['OperationNotAllowed', 'exceeding approved LowPriorityCores quota', azureCodes.spotQuota],
    ['OperationNotAllowed', 'exceeding approved Total Regional Cores quota', azureCodes.regionalQuota],
    ['SkuNotAvailable', 'closed', azureCodes.sizeClosed],
    ['VMSizeNotSupported', 'closed', azureCodes.sizeClosed],
    ['AllocationFailed', 'Allocation failed.', undefined],
    ['SubnetIsFull', 'full', undefined],
    ['SubscriptionNotFound', 'none', azureCodes.noSubscription],
    ['ResourceGroupNotFound', 'none', azureCodes.noResourceGroup],
  ])('%s: %s has the code %s, for who must not read its words', (code, message, own) => {
    expect(failureOf(answer(400, wrapped(code, message)), write, clock).code).toBe(own);
  });

  it('a cluster that is not there has a code, and what is within it has none', () => {
    const codeOf = (resource: string) =>
      failureOf(answer(404, wrapped('ResourceNotFound', `The Resource '${resource}' was not found.`)), read, clock)
        .code;
    const cluster = 'Microsoft.Kubernetes/connectedClusters/east';
    expect(codeOf(cluster)).toBe(azureCodes.noCluster);
    expect(codeOf(`${cluster}/providers/Microsoft.HybridContainerService/provisionedClusterInstances/default`)).toBe(
      undefined,
    );
  });

  it('shows the numbers that one needs to ask for quota', () => {
    const { message } = failureOf(answer(400, wrapped('OperationNotAllowed', familyQuota(24))), write, clock);
    expect(message).toContain('standardNCSv3Family is used up (limit 24, used 24, needed 12)');
  });

  it('believes the server where it says for how long', () => {
    const failure = failureOf(answer(400, wrapped('AllocationFailed', 'x'), { 'retry-after': '90' }), write, clock);
    expect(failure.retryAfterSeconds).toBe(90);
  });
});

describe('somebody else is at work', () => {
  it.each([
    [
      "Operation is not allowed because there's an in progress create node pool operation (operation ID: 8) on the agent pool b",
      'OperationNotAllowed',
    ],
    ["Operation is not allowed because there's an in progress update managed cluster operation", 'OperationNotAllowed'],
    ["Operation is not allowed because there's an in progress upgrade node pool operation", 'OperationNotAllowed'],
    ['Another operation is in progress', 'Conflict'],
    ['whatever', 'SomethingNew'],
  ])('%s', (message, code) => {
    expect(failureOf(answer(409, flat(code, message)), write, clock).kind).toBe('conflict');
  });

  it('by another etag', () => {
    expect(failureOf(answer(412, wrapped('PreconditionFailed', 'etag')), write, clock).kind).toBe('conflict');
    expect(failureOf(answer(412), write, clock).kind).toBe('conflict');
  });

  it('also when it comes as a bad request', () => {
    const message = "Operation is not allowed because there's an in progress scale operation";
    expect(failureOf(answer(400, flat('OperationNotAllowed', message)), write, clock).kind).toBe('conflict');
  });

  it('but a lock, a disabled subscription and a missing registration are not that', () => {
    expect(failureOf(answer(409, wrapped('ScopeLocked', 'locked')), write, clock).kind).toBe('unauthorised');
    expect(failureOf(answer(409, wrapped('ReadOnlyDisabledSubscription', 'off')), write, clock).kind).toBe(
      'unauthorised',
    );
    const message = "The subscription is not registered to use namespace 'Microsoft.HybridContainerService'.";
    expect(failureOf(answer(409, wrapped('MissingSubscriptionRegistration', message)), write, clock)).toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('az provider register --namespace Microsoft.HybridContainerService'),
    });
  });
});

describe('throttling', () => {
  const pauseOf = (headers: Record<string, string>) =>
    failureOf(answer(429, wrapped('TooManyRequests', 'slow down'), headers), write, clock);

  it.each<[Record<string, string>, number | undefined]>([
    [{ 'retry-after': '17' }, 17],
    [{ 'x-ms-retry-after-ms': '1500' }, 1.5],
    [{ 'retry-after-ms': '250' }, 0.25],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('%o means %s seconds', (headers, seconds) => {
    const failure = pauseOf(headers);
    expect(failure.kind).toBe('throttled');
    expect(failure.retryAfterSeconds).toBe(seconds);
  });

  it('is told by the status alone too', () => {
    expect(failureOf(answer(429, 'busy'), read, clock).kind).toBe('throttled');
  });
});

describe('rights', () => {
  it('names who lacks what, and where', () => {
    const message =
      "The client 'me' with object id 'oid' does not have authorization to perform action 'Microsoft.ContainerService/managedClusters/agentPools/write' over scope '/subscriptions/s/resourceGroups/g' or the scope is invalid. If access was recently granted, please refresh your credentials.";
    const failure = failureOf(answer(403, wrapped('AuthorizationFailed', message)), write, clock);
    expect(failure.kind).toBe('unauthorised');
    expect(failure.message).toContain(
      'the identity me lacks the permission Microsoft.ContainerService/managedClusters/agentPools/write on /subscriptions/s/resourceGroups/g; assign it a role',
    );
  });

  it('names the right that the call needs when nobody else does', () => {
    const failure = failureOf(answer(403, 'no'), { ...write, action: 'Microsoft.X/y/write' }, clock);
    expect(failure).toMatchObject({
      kind: 'unauthorised',
      message: expect.stringContaining('lacks the permission Microsoft.X/y/write'),
    });
  });

  it('names both tenants when the token is of the wrong one', () => {
    const [one, two] = ['a1111111-1111-4111-8111-111111111111', 'b2222222-2222-4222-8222-222222222222'];
    const message = `The access token is from the wrong issuer 'https://sts.windows.net/${one}/'. It must match the tenant 'https://sts.windows.net/${two}/' associated with this subscription.`;
    const failure = failureOf(answer(401, wrapped('InvalidAuthenticationTokenTenant', message)), read, clock);
    expect(failure.kind).toBe('unauthorised');
    expect(failure.message).toContain(`the token is for tenant ${one}, the subscription belongs to tenant ${two}`);
    expect(failure.message).toContain('AZURE_TENANT_ID');
  });

  it('tells a policy from a missing right', () => {
    expect(failureOf(answer(403, wrapped('RequestDisallowedByPolicy', 'no')), write, clock).kind).toBe('invalid');
  });
});

describe('what is not there', () => {
  const of = (code: string, message: string, asked = read) =>
    failureOf(answer(404, wrapped(code, message)), asked, clock);

  it.each([
    ['NotFound', 'Agent Pool not found.'],
    ['AgentPoolNotFound', 'x'],
    [
      'ResourceNotFound',
      "The Resource 'Microsoft.ContainerService/managedClusters/c/agentPools/a' under resource group 'g' was not found.",
    ],
    ['ResourceNotFound', 'The requested resource could not be found.'],
  ])('is the pool: %s %s', (code, message) => expect(of(code, message).kind).toBe('not-found'));

  it.each([
    ['ResourceGroupNotFound', "Resource group 'g' could not be found.", 'ARM_RESOURCE_GROUP'],
    ['SubscriptionNotFound', 'The subscription could not be found.', 'ARM_SUBSCRIPTION_ID'],
    [
      'ResourceNotFound',
      "The Resource 'Microsoft.Kubernetes/connectedClusters/c' under resource group 'g' was not found.",
      'AZURE_CLUSTER_NAME',
    ],
    ['ParentResourceNotFound', 'Failed to perform the operation on a nested resource.', 'AZURE_CLUSTER_NAME'],
  ])('is what it should be in, so that nobody takes a pool for deleted: %s', (code, message, hint) => {
    expect(of(code, message)).toMatchObject({ kind: 'invalid', message: expect.stringContaining(hint) });
  });

  it('may be a proxy, which says nothing about the pool', () => {
    expect(failureOf(answer(404, '<html>'), read, clock).kind).toBe('unavailable');
  });
});

describe('the rest', () => {
  it.each([500, 502, 503, 504, 408])('leaves open what became of a write at %d', (status) => {
    expect(failureOf(answer(status, wrapped('InternalServerError', 'x')), write, clock).kind).toBe('outcome-unknown');
    expect(failureOf(answer(status), read, clock).kind).toBe('unavailable');
  });

  it('believes no reason of a server that stumbled over a write', () => {
    const failure = failureOf(answer(500, wrapped('AllocationFailed', 'Allocation failed.')), write, clock);
    expect(failure.retryAfterSeconds).toBeUndefined();
    expect(failure).toMatchObject({
      kind: 'outcome-unknown',
      message: expect.stringContaining('out of capacity for this size'),
    });
  });

  it('is invalid as a bad request, with what ARM says', () => {
    const failure = failureOf(answer(400, flat('InvalidParameter', 'The value of vmSize is wrong')), write, clock);
    expect(failure).toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('The value of vmSize is wrong'),
    });
  });

  it('waits for a cluster that is stopped', () => {
    const message = 'Operation is not allowed: the managed cluster is in power state Stopped.';
    expect(failureOf(answer(409, flat('OperationNotAllowed', message)), write, clock).kind).toBe('not-ready');
  });

  it('keeps status, codes and the id of the request for those who ask Microsoft', () => {
    const failure = failureOf(answer(500, wrapped('Internal', 'x'), { 'x-ms-request-id': 'r-1' }), read, clock);
    expect(failure.cause).toBe('status 500, Internal, request r-1');
  });

  it('finds the sentence in JSON that is within a message', () => {
    const inner = JSON.stringify({ error: { code: 'SkuNotAvailable', message: 'not here' } });
    expect(failureOf(answer(400, wrapped('BadRequest', inner)), write, clock)).toMatchObject({
      kind: 'insufficient-capacity',
      message: expect.stringContaining('SkuNotAvailable: not here'),
    });
  });

  it.each([null, 7, 'text', [], {}, { error: 5 }, { error: { code: 5 } }, { error: { details: [null, 3] } }])(
    'copes with the body %j',
    (body) => {
      expect(failureOf(answer(400, body as Json), write, clock).kind).toBe('invalid');
      expect(failureOf(answer(500, body as Json), write, clock).kind).toBe('outcome-unknown');
    },
  );

  test.prop([fc.jsonValue(), fc.integer({ min: 300, max: 599 })])('has an answer to any body', (body, status) => {
    const failure = failureOf(answer(status, body as Json), write, clock);
    expect(failure.message).toContain('create agent pool a');
    if (status >= 500) expect(failure.kind).not.toBe('unavailable');
  });

  test.prop([fc.jsonValue()])('reads no pool out of what is none, and never stumbles', (body) => {
    const pool = readPool(body);
    if (pool !== undefined) expect(pool.name).toBeTypeOf('string');
    readPoolList(body as Json);
  });

  it('ends with bodies that have no end', () => {
    let body: Json = { code: 'Deep', message: 'x' };
    for (let depth = 0; depth < 1000; depth += 1) body = { error: { code: 'C', details: [body, body] } };
    expect(failureOf(answer(400, body), write, clock).message.length).toBeLessThan(1000);
  });

  it('calls a success that makes no sense unknown for a write', () => {
    expect(notUnderstood(answer(200), write, 'x').kind).toBe('outcome-unknown');
    expect(notUnderstood(answer(200), read, 'x').kind).toBe('unavailable');
  });
});

describe('an operation', () => {
  const ask = (value: ArmAnswer, by: 'azure-async-operation' | 'location' = 'azure-async-operation') =>
    askOperation({ url: 'https://arm/op?t=secret', by }, 'https://arm', clock, async () => ({ ok: true, value }));

  it('is not over in a state that nobody knows', async () => {
    for (const status of ['Accepted', 'Pending', 'SomethingNew']) {
      expect(await ask(answer(200, { status }))).toEqual({ ok: true, value: { state: 'running' } });
    }
  });

  it('that failed for no known reason says so', async () => {
    const failed = await ask(
      answer(200, { status: 'Failed', error: { code: 'VMExtensionProvisioningError', message: 'no DNS' } }),
    );
    expect(failed).toMatchObject({
      value: { state: 'failed', failure: { kind: 'unavailable', message: expect.stringContaining('no DNS') } },
    });
    expect(await ask(answer(200, { status: 'Canceled' }))).toMatchObject({ value: { state: 'failed' } });
  });

  it('that failed for what was asked is invalid', async () => {
    const failed = await ask(answer(200, { status: 'Failed', error: { code: 'InvalidParameter', message: 'no' } }));
    expect(failed).toMatchObject({ value: { state: 'failed', failure: { kind: 'invalid' } } });
  });

  it('fails by its status in the style of Location, while throttling is no failure of it', async () => {
    expect(await ask(answer(409, wrapped('AllocationFailed', 'x')), 'location')).toMatchObject({
      value: { state: 'failed', failure: { kind: 'insufficient-capacity' } },
    });
    expect(await ask(answer(429), 'location')).toMatchObject({ ok: false, error: { kind: 'throttled' } });
    expect(await ask(answer(500), 'location')).toMatchObject({ ok: false, error: { kind: 'unavailable' } });
  });

  it('is not asked about at a foreign host, and its signature is not shown', async () => {
    const asked = await askOperation({ url: 'https://evil/op?t=secret', by: 'location' }, 'https://arm', clock, () => {
      throw new Error('it was asked');
    });
    expect(asked).toMatchObject({
      ok: false,
      error: { kind: 'invalid', message: expect.not.stringContaining('secret') },
    });
  });
});
