/**
 * What any Kubernetes API server must do for Poolwright. The simulated one is held to it here; a real kube-apiserver,
 * with the definitions of `infra/kubernetes/crds` installed, can be passed as well.
 */
import { afterAll, beforeAll, describe } from 'vitest';
import { builtInCases } from './built-in-cases.ts';
import { type ApiUnderTest, TestClient } from './client.ts';
import { customResourceCases } from './custom-resource-cases.ts';
import { deletionCases } from './deletion-cases.ts';
import { evictionCases } from './eviction-cases.ts';
import { listCases } from './list-cases.ts';
import { patchCases } from './patch-cases.ts';
import { requestCases } from './request-cases.ts';
import { scaleCases } from './scale-cases.ts';
import { watchCases } from './watch-cases.ts';
import { writeCases } from './write-cases.ts';

export type { ApiUnderTest } from './client.ts';

/** Gives the client of the server under test; only inside a test is there one. */
export type Client = () => TestClient;

export function clusterApiSuite(makeServer: () => Promise<ApiUnderTest>): void {
  let client: TestClient | undefined;
  const current: Client = () => {
    if (!client) throw new Error('the server is not up yet');
    return client;
  };
  beforeAll(async () => {
    client = new TestClient(await makeServer());
  });
  afterAll(async () => {
    await client?.api.close();
  });
  describe('writes', () => writeCases(current));
  describe('patches', () => patchCases(current));
  describe('deletion', () => deletionCases(current));
  describe('lists', () => listCases(current));
  describe('watches', () => watchCases(current));
  describe('custom resources', () => customResourceCases(current));
  describe('eviction', () => evictionCases(current));
  describe('built-in kinds', () => builtInCases(current));
  describe('scale', () => scaleCases(current));
  describe('requests', () => requestCases(current));
}
