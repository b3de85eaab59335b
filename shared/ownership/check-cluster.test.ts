import { describe, expect, it } from 'vitest';
import type { Json } from '../base/json.ts';
import { failed, ok, type Result } from '../base/result.ts';
import type { ClusterApi, Resource } from '../kube/contract.ts';
import { silentLog } from '../observe/log/log.ts';
import { checkCluster } from './check-cluster.ts';
import { checkRights, type NeededRight } from './check-rights.ts';

const rights: NeededRight[] = [
  { group: '', resource: 'nodes', verbs: ['get', 'patch'], why: 'registers nodes' },
  { group: 'karpenter.sh', resource: 'nodeclaims/status', verbs: ['patch'], why: 'writes conditions' },
  { group: '', resource: 'events', verbs: ['create'], namespace: 'default', why: 'tells' },
  { group: 'apps', resource: 'deployments', verbs: ['list'], why: 'sees rivals', optional: true },
];

/** `may` answers for each verb and resource; `read` for each object that is asked for. */
function fakeApi(may: (verb: string, resource: string) => Result<boolean>, read: Result<Json>): ClusterApi {
  const create = async (_resource: Resource, review: Json) => {
    const { spec } = review as { spec: { resourceAttributes: { verb: string; resource: string } } };
    const answer = may(spec.resourceAttributes.verb, spec.resourceAttributes.resource);
    return answer.ok ? ok({ status: { allowed: answer.value } }) : answer;
  };
  const get = async () => read;
  return { name: 'east', create, get } as Partial<Record<keyof ClusterApi, unknown>> as ClusterApi;
}

const object: Json = { metadata: { name: 'x', uid: 'u', resourceVersion: '1', creationTimestamp: '' } };
const check = (api: ClusterApi) => checkCluster({ api, log: silentLog, nodeClasses: [], rights });

describe('checkRights', () => {
  it('names what is refused, as kubectl does, in the order of the list', async () => {
    const api = fakeApi((verb) => ok(verb === 'get'), ok(object));
    expect(await checkRights(api, rights)).toEqual([
      'may not patch nodes (registers nodes)',
      'may not patch nodeclaims.karpenter.sh/status (writes conditions)',
      'may not create events in namespace default (tells)',
    ]);
  });

  it('takes a server that will not say for one that allows', async () => {
    expect(
      await checkRights(
        fakeApi(() => failed('unavailable', 'not served'), ok(object)),
        rights,
      ),
    ).toEqual([]);
  });
});

describe('checkCluster', () => {
  it('names a token that is good for nothing', async () => {
    const api = fakeApi(() => failed('unauthorised', 'no'), failed('unauthorised', 'the token is not accepted'));
    expect(await check(api)).toEqual(ok([{ kind: 'access', message: 'the token is not accepted' }]));
  });

  it('names the rights rather than what follows from their lack', async () => {
    const api = fakeApi(() => ok(false), failed('unauthorised', 'may not get namespaces'));
    const checked = await check(api);
    expect(checked.ok && checked.value.map(({ kind }) => kind)).toEqual(['right', 'right', 'right']);
  });

  it('knows nothing of a server that does not answer', async () => {
    const api = fakeApi(() => failed('unavailable', 'away'), failed('unavailable', 'away'));
    expect(await check(api)).toMatchObject({ ok: false, error: { kind: 'unavailable' } });
  });

  it('names definitions that are missing', async () => {
    const absent = failed('not-found', 'no such thing');
    const api = fakeApi(() => ok(true), absent);
    const found = {
      ...api,
      get: async (resource: Resource) => (resource.plural === 'namespaces' ? ok(object) : absent),
    };
    const checked = await check(found as ClusterApi);
    expect(checked.ok && checked.value).toContainEqual({
      kind: 'definition',
      message: expect.stringContaining('nodeclaims.karpenter.sh is not installed'),
    });
  });
});
