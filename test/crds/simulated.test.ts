/** The simulated cluster API under the same corpus: the same verdicts, in the same words. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttpClient } from '../../shared/net/http-client.ts';
import { type ClusterApi, startClusterApi } from '../../sim/cluster/server.ts';
import { claimCorpus } from './claim-cases.ts';
import { acceptedClasses, type Fields, least, refusedClasses } from './ec2-node-class-cases.ts';
import { type Judgment, judgeChange, judgeCreate, judgeStatus, type Server } from './judge.ts';
import { poolCorpus } from './pool-cases.ts';

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

const server: Server = {
  group: 'karpenter.sh',
  request: async (method, path, body, contentType = 'application/json') => {
    const headers = { 'content-type': contentType };
    const answer = await client.request({ method, path, body, headers, timeoutMs: 10_000 });
    if (!answer.ok) throw new Error(answer.message);
    return { code: answer.status, body: answer.json() ?? answer.text };
  },
};

function expectVerdict(wanted: { accepted: boolean; says?: string }, judgment: Judgment): void {
  expect(judgment.accepted, judgment.says).toBe(wanted.accepted);
  if (!wanted.accepted) expect(judgment.says).toContain(wanted.says);
}

describe.each([claimCorpus, poolCorpus])('$kind on the simulated cluster API', (corpus) => {
  it.each(corpus.create)('created with $title: accepted is $accepted', async (one) => {
    expectVerdict(one, await judgeCreate(server, corpus, one));
  });
  it.each(corpus.change)('changed by $title: accepted is $accepted', async (one) => {
    expectVerdict(one, await judgeChange(server, corpus, one));
  });
  it.each(corpus.status)('with a status of $title: accepted is $accepted', async (one) => {
    expectVerdict(one, await judgeStatus(server, corpus, one));
  });
});

describe('EC2NodeClass on the simulated cluster API', () => {
  const create = (spec: Fields) =>
    server.request('POST', '/apis/karpenter.k8s.aws/v1/ec2nodeclasses?dryRun=All', {
      apiVersion: 'karpenter.k8s.aws/v1',
      kind: 'EC2NodeClass',
      metadata: { name: 'one' },
      spec,
    });

  it.each(acceptedClasses)('is stored with %s', async (_, more) => {
    const spec = { ...least, ...more };
    expect(await create(spec)).toMatchObject({ code: 201, body: { spec } });
  });
  it.each(refusedClasses)('is refused with %j', async (more, says) => {
    const { code, body } = await create({ ...least, ...more });
    expect(code).toBe(422);
    expect(body.message).toContain(says);
  });
});
