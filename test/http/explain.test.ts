/** GET /v1/claims/{cluster}/{name}/explain and GET /v1/events/{id}/explain, over a real cluster API and a real queue. */
import { beforeAll, describe, expect, it } from 'vitest';
import { type ClusterApi, nodeClaims } from '../../shared/kube/contract.ts';
import { recordDecision } from '../../shared/nodes/steps/report/decision-log.ts';
import type { WorkflowInfo } from '../../shared/workflow/contract.ts';
import { useStoredClaim } from './stored-claim.ts';
import { httpWorld } from './world.ts';

const path = '/v1/claims/production/web-1/explain';

describe('the explanation of a claim', () => {
  const stored = useStoredClaim();
  let api: ClusterApi;
  let uid = '';
  beforeAll(() => {
    ({ api, uid } = stored());
  });

  const ref = () => ({ cluster: 'production', name: 'web-1', uid });
  const served = { serving: () => [{} as never] };
  const launchOf = (more: Partial<WorkflowInfo>) => ({
    ensure: async () => ({ id: 'none/1', epoch: 1, started: false }),
    signal: async () => undefined,
    latest: async (key: string): Promise<WorkflowInfo | undefined> =>
      key.endsWith('/launch')
        ? { id: `${key}/1`, key, epoch: 1, workflow: 'launch', version: 2, status: 'running', startedAt: 0, ...more }
        : undefined,
  });

  it('reads the claim once, and says how it is, why, and what to do', async () => {
    let reads = 0;
    const counting: ClusterApi = {
      ...api,
      get: (resource, target, signal) => {
        if (resource === nodeClaims) reads++;
        return api.get(resource, target, signal);
      },
    };
    const { services, get } = httpWorld({ api: counting });
    const offering = { instanceType: 'c4', zone: 'a', capacityType: 'spot', price: 0.5 } as const;
    await recordDecision(services, ref(), 'offering-chosen', { attempt: 1, offering });

    const { status, json } = await get(path);

    expect(status).toBe(200);
    expect(reads).toBe(1);
    expect(json).toMatchObject({
      ...ref(),
      now: '2026-01-01T00:00:00.000Z',
      // This world has no provider that would serve it.
      ours: false,
      diagnosis: { cause: expect.stringContaining('no configured provider serves the claim'), fix: expect.any(String) },
      decisions: [{ code: 'offering-chosen', fields: { attempt: 1, offering }, text: expect.stringContaining('c4') }],
      standing: { acts: true },
      waits: [],
      deadLetters: [],
      missing: [],
    });
    expect(json).not.toHaveProperty('spans');
  });

  it('says what a workflow waits for, and until when', async () => {
    const until = Date.parse('2026-01-01T00:01:00Z');
    const client = launchOf({ waitingFor: 'poll pollCreate', waiting: { command: 'poll', name: 'pollCreate', until } });
    const { get } = httpWorld({ api, client, cluster: served });

    const { json } = await get(path);

    const waiting = { command: 'poll', name: 'pollCreate', until: '2026-01-01T00:01:00.000Z' };
    expect(json).toMatchObject({
      diagnosis: { well: true, until: waiting.until },
      waits: [
        {
          workflow: 'launch',
          text: 'waiting for the provider (pollCreate); it checks again at 00:01:00',
          until: waiting.until,
        },
      ],
      workflows: [{ workflow: 'launch', waiting }],
    });
  });

  it('finds the dead letter that should have begun it, on any page', async () => {
    const { services, get } = httpWorld({ api, cluster: served });
    const events = [...Array.from({ length: 3 }, () => '{"data":{"name":"other"}}'), `{"data":{"uid":"${uid}"}}`];
    await services.events.send(events);
    for (const message of await services.events.receive(events.length))
      await services.events.deadLetter(message, 'it is no event');

    const { json } = await get(path);

    expect(json).toMatchObject({
      diagnosis: { code: 'DeadLettered', cause: expect.stringContaining('it is no event') },
      deadLetters: [{ reason: 'it is no event' }],
    });
  });

  it('answers without the dead letters where the queue does not, and says so', async () => {
    const decorate = <Q extends object>(queue: Q): Q => ({
      ...queue,
      deadLetters: async () => {
        throw new Error('the broker is away');
      },
    });

    const { status, json } = await httpWorld({ api, cluster: served, decorate }).get(path);

    expect({ status, missing: json.missing }).toEqual({ status: 200, missing: ['dead-letters'] });
  });

  it('waits for the dead letters of a slow queue for so long only, and asks it for no more of them', async () => {
    let asked = 0;
    const slow = Promise.withResolvers<{ items: never[]; next: string }>();
    const { promise: waiting, resolve: waits } = Promise.withResolvers<() => void>();
    const timers = {
      after: (milliseconds: number, callback: () => void) => {
        if (milliseconds === 5000) waits(callback);
        return () => undefined;
      },
    };
    const deadLetters = () => {
      asked++;
      return slow.promise;
    };
    const decorate = <Q extends object>(queue: Q): Q => ({ ...queue, deadLetters });
    const answer = httpWorld({ api, cluster: served, decorate, timers }).get(path);

    (await waiting)();

    const { status, json } = await answer;
    expect({ status, missing: json.missing }).toEqual({ status: 200, missing: ['dead-letters'] });
    slow.resolve({ items: [], next: 'more' });
    await slow.promise;
    expect(asked).toBe(1);
  });

  it('answers without Events where the host may not list them, and says so', async () => {
    const shy: ClusterApi = {
      ...api,
      list: async (resource, options) =>
        resource.plural === 'events'
          ? { ok: false, error: { kind: 'unauthorised', message: 'no right to list events' } }
          : api.list(resource, options),
    };

    const { status, json } = await httpWorld({ api: shy, cluster: served }).get(path);

    expect(status).toBe(200);
    expect(json).toMatchObject({ events: [], missing: ['events'] });
  });

  it('tells what took how long, when asked, from the history that the engine keeps', async () => {
    const workflows = {
      list: async () => ({ items: [] }),
      inspect: async (id: string) => ({
        ...(await launchOf({}).latest('x/launch'))!,
        id,
        group: 'production',
        input: { cause: { event: 'e-1', observedBy: 'bridge', at: 0 } },
        history: [{ step: 0, command: 'call choose', ok: true, value: { do: 'begin' }, at: 1000 }],
        signals: [],
      }),
      retrySetAside: async () => ({ id: 'none/1', epoch: 1 }),
      restart: async () => ({ id: 'none/1', epoch: 1 }),
    };
    const { get } = httpWorld({ api, client: launchOf({ waitingFor: 'its first step' }), workflows, cluster: served });

    const { json } = await get(`${path}?trace=true`);

    expect(json.spans).toEqual(
      expect.arrayContaining([
        {
          kind: 'step',
          name: 'launch: call choose',
          from: '1970-01-01T00:00:00.000Z',
          to: '1970-01-01T00:00:01.000Z',
          note: 'begin',
        },
      ]),
    );
    // Decisions are kept for a while only; the workflow knows what it was started for.
    expect(json.began).toMatchObject({ workflow: 'launch', event: 'e-1' });
  });

  it.each(['explain', 'decisions'])('of a claim that is gone is found by its name alone: %s', async (what) => {
    const { services, get } = httpWorld({ api });
    const failure = { reason: 'NoInstanceTypeFits', kind: 'invalid', message: 'no instance type fits' };
    await recordDecision(services, { ...ref(), name: 'workers-1', uid: 'u-1' }, 'released', {});
    await recordDecision(services, { ...ref(), name: 'workers-1', uid: 'u-2' }, 'given-back', failure);
    await recordDecision(services, { ...ref(), name: 'workers-1', uid: 'u-2' }, 'released', {});

    const { status, json } = await get(`/v1/claims/production/workers-1/${what}`);

    expect(status).toBe(200);
    expect(json).toMatchObject({ uid: 'u-2', decisions: [{ code: 'given-back' }, { code: 'released' }] });
    if (what === 'explain')
      // That it was released says nothing about why.
      expect(json.diagnosis).toMatchObject({
        state: 'gone',
        code: 'NoInstanceTypeFits',
        cause: expect.stringContaining('no instance type fits'),
      });
    // In another cluster there was none of the name.
    expect((await get(`/v1/claims/staging/workers-1/${what}`)).status).toBe(404);
  });

  it('of a claim that is gone is found by its uid', async () => {
    const { services, get } = httpWorld({ api });
    await recordDecision(services, { ...ref(), name: 'old', uid: 'u-old' }, 'released', {});

    const { status, json } = await get('/v1/claims/production/old/explain?uid=u-old');

    expect(status).toBe(200);
    expect(json).toMatchObject({ uid: 'u-old', diagnosis: { state: 'gone' }, stages: [{ name: 'released' }] });
  });

  it.each([
    ['/v1/claims/production/web-2/explain', 404, /has no NodeClaim web-2.*\?uid=/],
    ['/v1/claims/prodution/web-1/explain', 404, /did you mean "production"\?$/],
    ['/v1/claims/production/Web_1/explain', 400, /name of a Kubernetes object/],
    [`${path}?trace=yes`, 400, /trace/],
    [`${path}?uid=%20`, 400, /uid of a Kubernetes object/],
  ])('%s is refused', async (wrong, status, detail) => {
    const answer = await httpWorld({ api }).get(wrong);

    expect(answer.status).toBe(status);
    expect(answer.json.detail).toMatch(detail);
  });

  it('cannot be given while the cluster does not answer', async () => {
    const answer = await httpWorld().get(path);

    expect(answer).toMatchObject({ status: 503, json: { type: expect.stringContaining('cluster-unavailable') } });
  });
});

describe('the explanation of an event', () => {
  it('is the dead letter that holds it, with the claim that it is about', async () => {
    const { services, get } = httpWorld();
    await services.events.send([JSON.stringify({ id: 'e 17', data: { name: 'web-1' } })]);
    const [message] = await services.events.receive(1);
    await services.events.deadLetter(message!, 'unknown type');

    for (const id of ['e%2017', message!.id]) {
      expect(await get(`/v1/events/${id}/explain`)).toMatchObject({
        status: 200,
        json: { outcome: 'dead-letter', letter: { id: message!.id, reason: 'unknown type' }, claim: 'web-1' },
      });
    }
  });

  it('is the workflow that it started, without its input and history', async () => {
    const info: WorkflowInfo = {
      id: 'production/u/launch/1',
      key: 'production/u/launch',
      epoch: 1,
      workflow: 'launch',
      version: 2,
      status: 'running',
      startedAt: 0,
    };
    const input = { name: 'web-1', cause: { event: 'e-1', observedBy: 'watch', at: 1000 } };
    const refused = async (): Promise<never> => {
      throw new Error('not asked for');
    };
    const workflows = {
      list: async () => ({ items: [info] }),
      inspect: async () => ({ ...info, group: 'production', input, history: [], signals: [] }),
      retrySetAside: refused,
      restart: refused,
    };
    const { get } = httpWorld({ workflows });

    const { status, json } = await get('/v1/events/e-1/explain');

    expect(status).toBe(200);
    expect(json).toEqual({
      outcome: 'processed',
      at: '1970-01-01T00:00:01.000Z',
      observedBy: 'watch',
      workflow: { ...info, startedAt: '1970-01-01T00:00:00.000Z' },
      claim: 'web-1',
    });
  });

  it('is a problem with its code where no record has the id', async () => {
    const { get } = httpWorld();

    expect(await get('/v1/events/e-2/explain')).toMatchObject({ status: 404, json: { code: 'UnknownEvent' } });
  });
});
