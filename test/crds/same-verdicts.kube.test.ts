/** Our CRDs and upstream's on one real API server: the same objects are accepted, and stored the same. */
import { beforeAll, describe, expect, it } from 'vitest';
import { useKube } from '../kube/use-kube.ts';
import { claimCorpus } from './claim-cases.ts';
import { type Judgment, judgeChange, judgeCreate, judgeStatus, type Server } from './judge.ts';
import { poolCorpus } from './pool-cases.ts';
import { upstreamDefinitions, upstreamGroup } from './upstream.ts';

const kube = useKube();
const ours: Server = { group: 'karpenter.sh', request: kube.request };
const upstream: Server = { group: upstreamGroup, request: kube.request };

beforeAll(async () => kube.apply(...(await upstreamDefinitions())));

async function expectSame(
  wanted: { accepted: boolean; says?: string },
  judge: (server: Server) => Promise<Judgment>,
): Promise<void> {
  const [here, there] = await Promise.all([judge(ours), judge(upstream)]);

  expect(there.accepted, `upstream's verdict: ${there.says}`).toBe(wanted.accepted);
  expect(here.accepted, `our verdict: ${here.says}`).toBe(wanted.accepted);
  expect(here.stored).toEqual(there.stored);
  if (!wanted.accepted) expect(here.says).toContain(wanted.says);
}

describe.each([claimCorpus, poolCorpus])('$kind', (corpus) => {
  describe('created with', () => {
    it.each(corpus.create)('$title: accepted is $accepted', async (one) => {
      await expectSame(one, (server) => judgeCreate(server, corpus, one));
    });
  });

  describe('changed by', () => {
    it.each(corpus.change)('$title: accepted is $accepted', async (one) => {
      await expectSame(one, (server) => judgeChange(server, corpus, one));
    });
  });

  describe('with a status of', () => {
    it.each(corpus.status)('$title: accepted is $accepted', async (one) => {
      await expectSame(one, (server) => judgeStatus(server, corpus, one));
    });
  });
});
