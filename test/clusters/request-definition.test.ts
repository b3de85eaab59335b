/** What an API server says of a ClusterRequest by its definition alone, on the simulated cluster; a real one is held to the same cases. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHttpClient } from '../../shared/net/http-client.ts';
import { type ClusterApi, startClusterApi } from '../../sim/cluster/server.ts';
import { acceptedRequests, refusedRequests, requestOf } from './definition-cases.ts';

let api: ClusterApi;
let client: ReturnType<typeof createHttpClient>;
beforeAll(async () => {
  api = await startClusterApi({ file: ':memory:', port: 0 });
  client = createHttpClient({ baseUrl: api.url, userAgent: 'poolwright-tests' });
});
afterAll(async () => {
  client.close();
  await api.close();
});

const path = '/apis/poolwright.dev/v1alpha1/namespaces/default/clusterrequests';
const create = async (spec: object) => {
  const answer = await client.request({
    method: 'POST',
    path: `${path}?dryRun=All`,
    body: requestOf(spec),
    headers: { 'content-type': 'application/json' },
    timeoutMs: 10_000,
  });
  if (!answer.ok) throw new Error(answer.message);
  return { code: answer.status, text: answer.text };
};

it.each(acceptedRequests)('%s is accepted', async (_what, spec) => {
  expect(await create(spec)).toMatchObject({ code: 201 });
});

it.each(refusedRequests)('%s is refused', async (_what, spec, says) => {
  const { code, text } = await create(spec);
  expect({ code, text }).toEqual({ code: 422, text: expect.stringContaining(says) });
});

it('kubectl get shows stage, reason, location and version', async () => {
  const headers = { 'content-type': 'application/json' };
  await client.request({ method: 'POST', path, body: requestOf({}), headers, timeoutMs: 10_000 });
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  const listed = await client.request({ method: 'GET', path, headers: { accept }, timeoutMs: 10_000 });
  const { columnDefinitions } = (listed.ok ? listed.json() : {}) as {
    columnDefinitions?: { name: string; priority: number }[];
  };
  const shown = (columnDefinitions ?? []).filter(({ priority }) => priority === 0).map(({ name }) => name);
  expect(shown).toEqual(['Name', 'Ready', 'Stage', 'Reason', 'Location', 'Version', 'Age']);
});
