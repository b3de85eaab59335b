/** What the simulated cloud never does by itself: a scripted server does it instead. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createSimProvider } from '../../../shared/providers/sim/provider.ts';
import { aCreateRequest } from '../../stand-ins/provider-context.ts';
import { anOwner, failure, patience } from './requests.ts';

const instance = (state: string) => ({
  id: 'i-1',
  providerID: 'sim:///zone-a/i-1',
  name: 'web',
  tags: {
    'poolwright.dev/deployment': 'main',
    'poolwright.dev/cluster': anOwner().cluster,
    'poolwright.dev/claim-uid': anOwner().claimUid,
    'poolwright.dev/attempt': '1',
  },
  instanceType: 'general-small',
  zone: 'zone-a',
  capacityType: 'spot',
  state,
  createdAt: 0,
  image: 'x',
  nodeName: 'i-1',
  capacity: {},
  allocatable: {},
  labels: {},
  remainingSeconds: null,
});

describe('the sim provider before a strange cloud', () => {
  let server: Server;
  const facing = async (...script: { status: number; body: object }[]) => {
    const asked: string[] = [];
    server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url?.split('?')[0]}`);
      const { status, body } = script[asked.length - 1] ?? script.at(-1)!;
      request.resume().on('end', () => response.writeHead(status).end(JSON.stringify(body)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const provider = createSimProvider({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    return { provider, asked };
  };
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });
  const request = aCreateRequest({
    owner: anOwner(),
    offering: { instanceType: 'general-small', zone: 'zone-a', capacityType: 'spot' },
  });
  const nameInUse = { status: 409, body: { error: { code: 'NameInUse', message: 'taken', instance: 'i-1' } } };
  const gone = { status: 404, body: { error: { code: 'InstanceNotFound', message: 'gone' } } };

  test('asks for another try when what had the name goes away while it looks', async () => {
    const { provider, asked } = await facing(nameInUse, gone);

    expect(failure(await provider.beginCreate(request, patience()), 'conflict').retryAfterSeconds).toBe(1);
    expect(asked).toEqual(['POST /instances', 'GET /instances/i-1']);
  });

  test('does not call it its own when it can not look at what has the name', async () => {
    const { provider } = await facing(nameInUse, { status: 500, body: {} });

    failure(await provider.beginCreate(request, patience()), 'unavailable');
  });

  test('says that a delete was forgotten, and does not delete while it polls', async () => {
    const { provider, asked } = await facing(
      { status: 202, body: instance('deleting') },
      { status: 200, body: instance('running') },
    );
    const begun = await provider.beginDelete({ id: 'i-1', owner: anOwner() }, patience());
    if (!begun.ok || begun.value.done) expect.fail('it should be going on');

    failure(await provider.pollDelete(begun.value.handle, patience()), 'outcome-unknown');

    expect(asked).toEqual(['DELETE /instances/i-1', 'GET /instances/i-1']);
  });

  test('asks again after some seconds when nobody knows how long it takes', async () => {
    const { provider } = await facing({ status: 201, body: instance('creating') });

    expect(await provider.beginCreate(request, patience())).toMatchObject({
      value: { done: false, retryAfterSeconds: 5 },
    });
  });
});
