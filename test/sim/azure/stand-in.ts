/** A stand-in for Azure with a clock that is moved by hand, and the real clients before it. */
import {
  type AgentPool,
  ContainerServiceClient,
  type ContainerServiceClientOptionalParams,
} from '@azure/arm-containerservice';
import type { TokenCredential } from '@azure/core-auth';
import {
  bearerTokenAuthenticationPolicy,
  createDefaultHttpClient,
  createHttpHeaders,
  createPipelineFromOptions,
  createPipelineRequest,
  type HttpMethods,
} from '@azure/core-rest-pipeline';
import { ClientSecretCredential } from '@azure/identity';
import { onTestFinished } from 'vitest';
import { isObject, type Json } from '../../../shared/base/json.ts';
import { countingIds, manualClock } from '../../../shared/base/runtime.ts';
import { type Azure, type AzureOptions, startAzure } from '../../../sim/azure/start.ts';
import type { KubeletHook, NodeAnswer } from '../../../sim/cloud/node-api.ts';
import { selfSigned } from '../../../sim/kit/self-signed.ts';

/** Made once: keys take their time. */
const certificate = selfSigned('stand-in');

export interface StandIn {
  azure: Azure;
  clock: ReturnType<typeof manualClock>;
  /** Lets time pass at Azure. */
  advance(seconds: number): Promise<void>;
  aks: ContainerServiceClient;
}

export async function standIn(options: AzureOptions = {}): Promise<StandIn> {
  const clock = manualClock();
  const azure = await startAzure({ clock, ids: countingIds(), wakeByItself: false, certificate, ...options });
  onTestFinished(() => azure.close());
  return {
    azure,
    clock,
    advance: async (seconds) => {
      clock.advance(seconds * 1000);
      await azure.settle();
    },
    aks: aksClient(azure),
  };
}

export const secretCredential = (
  azure: Azure,
  given: { tenant?: string; clientId?: string; secret?: string } = {},
): ClientSecretCredential =>
  new ClientSecretCredential(
    given.tenant ?? azure.tenant,
    given.clientId ?? azure.clientId,
    given.secret ?? azure.secret,
    identityOptions(azure),
  );

export const identityOptions = (azure: Azure) => ({
  authorityHost: azure.authority,
  disableInstanceDiscovery: true,
  tlsOptions: { ca: azure.certificate },
  retryOptions: { maxRetries: 0 },
});

export const aksClient = (
  azure: Azure,
  credential: TokenCredential = secretCredential(azure),
  more: ContainerServiceClientOptionalParams = {},
): ContainerServiceClient =>
  new ContainerServiceClient(credential, azure.subscription, {
    endpoint: azure.url,
    tlsOptions: { ca: azure.certificate },
    retryOptions: { maxRetries: 0 },
    ...more,
  });

export interface RawAnswer {
  status: number;
  header(name: string): string | undefined;
  body: { [key: string]: Json };
}

export type RawClient = (
  method: HttpMethods,
  path: string,
  options?: { body?: object; headers?: Record<string, string> },
) => Promise<RawAnswer>;

/** The pipeline that a client of one's own is made of; it repeats nothing. */
export function rawClient(azure: Azure, credential: TokenCredential = secretCredential(azure)): RawClient {
  const pipeline = createPipelineFromOptions({
    retryOptions: { maxRetries: 0 },
    tlsOptions: { ca: azure.certificate },
  });
  pipeline.addPolicy(bearerTokenAuthenticationPolicy({ credential, scopes: 'https://management.azure.com/.default' }));
  const client = createDefaultHttpClient();
  return async (method, path, { body, headers } = {}) => {
    const answer = await pipeline.sendRequest(
      client,
      createPipelineRequest({
        url: path.startsWith('https:') ? path : `${azure.url}${path}`,
        method,
        headers: createHttpHeaders({ 'content-type': 'application/json', ...headers }),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    const text = answer.bodyAsText ?? '';
    return {
      status: answer.status,
      header: (name) => answer.headers.get(name),
      body: text.startsWith('{') ? (JSON.parse(text) as { [key: string]: Json }) : {},
    };
  };
}

export const gpuPool: AgentPool = {
  count: 1,
  vmSize: 'Standard_NC12s_v3',
  osDiskSizeGB: 120,
  osType: 'Linux',
  osSKU: 'Ubuntu',
  typePropertiesType: 'VirtualMachineScaleSets',
  nodeLabels: { 'kaito.sh/workspace': 'none', 'karpenter.sh/nodepool': 'kaito' },
  nodeTaints: ['sku=gpu:NoSchedule'],
  tags: { 'poolwright-claim-uid': 'uid-1', 'poolwright-claim': 'one', 'poolwright-attempt': '1' },
};

/** What a call was refused with. */
export async function refusal(
  call: Promise<unknown>,
): Promise<{ status: number | undefined; code: string; message: string }> {
  try {
    await call;
  } catch (error) {
    const { statusCode, code, message } = error as { statusCode?: number; code: string; message: string };
    return { status: statusCode, code, message };
  }
  throw new Error('it was not refused');
}

export async function all<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of pages) items.push(item);
  return items;
}

export const providerIDOf = (node: Json | undefined): string | undefined =>
  (node as { spec?: { providerID?: string } } | undefined)?.spec?.providerID;

/** A cluster that is nothing but a set of Nodes. */
export function nodeShelf(): KubeletHook & { nodes: Map<string, { [key: string]: Json }> } {
  const nodes = new Map<string, { [key: string]: Json }>();
  const found = (name: string): NodeAnswer => {
    const node = nodes.get(name);
    return node === undefined ? { answer: 'missing' } : { answer: 'ok', object: node };
  };
  return {
    nodes,
    createNode: async (node) => {
      const object = node as { metadata: { name: string } } & { [key: string]: Json };
      if (nodes.has(object.metadata.name)) return { answer: 'conflict' };
      nodes.set(object.metadata.name, object);
      return { answer: 'ok', object };
    },
    getNode: async (name) => found(name),
    patchNode: async (name, patch) => {
      const node = nodes.get(name);
      if (node !== undefined) nodes.set(name, merged(node, patch as { [key: string]: Json }));
      return found(name);
    },
    deleteNode: async (name) => (nodes.delete(name) ? { answer: 'ok', object: null } : { answer: 'missing' }),
    getNodeClaim: async () => ({ answer: 'missing' }),
  };
}

function merged(base: { [key: string]: Json }, patch: { [key: string]: Json }): { [key: string]: Json } {
  const result = { ...base };
  for (const [key, value] of Object.entries(patch)) {
    const before = result[key];
    result[key] = isObject(before) && isObject(value) ? merged(before, value) : value;
  }
  return result;
}
