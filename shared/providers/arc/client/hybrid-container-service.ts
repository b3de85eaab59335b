/**
 * A client of Microsoft.HybridContainerService. The package that Microsoft has for it can't be installed, so this is shaped
 * like it (groups, methods, models, arguments) and can be swapped for it. What differs: a `begin…` sends the one request and
 * returns its answer, because nothing of ours waits for an operation.
 */
import { createPipelineRequest, type Pipeline, type PipelineResponse } from '@azure/core-rest-pipeline';
import type { Transport } from '../../../platforms/azure/transport.ts';
import {
  type AgentPool,
  type AgentPoolListResult,
  apiVersion,
  type ListCredentialResponse,
  type VmSkuProfile,
} from './models.ts';

export interface OperationOptions {
  abortSignal?: AbortSignal;
}

export interface ClientOptions {
  endpoint: string;
  pipeline: Pipeline;
  httpClient: Transport;
}

/** The answer of ARM beside what it holds; `value` is as trustworthy as the server. */
export interface RawResult<T> {
  response: PipelineResponse;
  value: T | undefined;
}

const resourceProvider = 'providers/Microsoft.HybridContainerService';

export class HybridContainerServiceClient {
  readonly agentPoolOperations: AgentPoolOperations;
  readonly provisionedClusterInstances: ProvisionedClusterInstances;
  readonly #send: Send;

  constructor(options: ClientOptions) {
    const send = sender(options);
    this.#send = send;
    this.agentPoolOperations = {
      beginCreateOrUpdate: (cluster, name, agentPool, more) => send('PUT', poolPath(cluster, name), agentPool, more),
      get: (cluster, name, more) => send('GET', poolPath(cluster, name), undefined, more),
      listByProvisionedCluster: (cluster, more) => send('GET', more?.nextLink ?? poolsPath(cluster), undefined, more),
      beginDelete: (cluster, name, more) => send('DELETE', poolPath(cluster, name), undefined, more),
    };
    this.provisionedClusterInstances = {
      beginListUserKubeconfig: (cluster, more) =>
        send('POST', `${instancePath(cluster)}/listUserKubeconfig`, undefined, more),
      beginListAdminKubeconfig: (cluster, more) =>
        send('POST', `${instancePath(cluster)}/listAdminKubeconfig`, undefined, more),
    };
  }

  /** The sizes that a custom location offers. */
  getVMSkus(customLocationResourceUri: string, options?: OperationOptions): Promise<RawResult<VmSkuProfile>> {
    return this.#send('GET', `${bare(customLocationResourceUri)}/${resourceProvider}/skus/default`, undefined, options);
  }
}

/** `connectedClusterResourceUri`: `subscriptions/…/providers/Microsoft.Kubernetes/connectedClusters/<name>`. */
export interface AgentPoolOperations {
  beginCreateOrUpdate(
    connectedClusterResourceUri: string,
    agentPoolName: string,
    agentPool: AgentPool,
    options?: OperationOptions,
  ): Promise<RawResult<AgentPool>>;
  get(
    connectedClusterResourceUri: string,
    agentPoolName: string,
    options?: OperationOptions,
  ): Promise<RawResult<AgentPool>>;
  /** One page. */
  listByProvisionedCluster(
    connectedClusterResourceUri: string,
    options?: OperationOptions & { nextLink?: string },
  ): Promise<RawResult<AgentPoolListResult>>;
  beginDelete(
    connectedClusterResourceUri: string,
    agentPoolName: string,
    options?: OperationOptions,
  ): Promise<RawResult<undefined>>;
}

export interface ProvisionedClusterInstances {
  beginListUserKubeconfig(
    connectedClusterResourceUri: string,
    options?: OperationOptions,
  ): Promise<RawResult<ListCredentialResponse>>;
  beginListAdminKubeconfig(
    connectedClusterResourceUri: string,
    options?: OperationOptions,
  ): Promise<RawResult<ListCredentialResponse>>;
}

type Send = <T>(
  method: 'GET' | 'PUT' | 'POST' | 'DELETE',
  pathOrLink: string,
  body: AgentPool | undefined,
  options: OperationOptions | undefined,
) => Promise<RawResult<T>>;

function sender({ endpoint, pipeline, httpClient }: ClientOptions): Send {
  return async <T>(
    method: 'GET' | 'PUT' | 'POST' | 'DELETE',
    pathOrLink: string,
    body: AgentPool | undefined,
    options: OperationOptions | undefined,
  ) => {
    const url = pathOrLink.startsWith('https://') ? pathOrLink : `${endpoint}/${pathOrLink}?api-version=${apiVersion}`;
    const request = createPipelineRequest({
      url,
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(options?.abortSignal === undefined ? {} : { abortSignal: options.abortSignal }),
    });
    request.headers.set('accept', 'application/json');
    if (body !== undefined) request.headers.set('content-type', 'application/json');
    const response = await pipeline.sendRequest(httpClient, request);
    return { response, value: parse<T>(response.bodyAsText) };
  };
}

function parse<T>(text: string | null | undefined): T | undefined {
  try {
    return text ? (JSON.parse(text) as T) : undefined;
  } catch {
    return undefined;
  }
}

const bare = (uri: string): string => uri.replace(/^\/+|\/+$/g, '');
const instancePath = (cluster: string): string =>
  `${bare(cluster)}/${resourceProvider}/provisionedClusterInstances/default`;
const poolsPath = (cluster: string): string => `${instancePath(cluster)}/agentPools`;
const poolPath = (cluster: string, name: string): string => `${poolsPath(cluster)}/${encodeURIComponent(name)}`;
