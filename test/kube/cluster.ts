/** A real cluster as tests see it: ways in, and what an administrator does. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parse } from 'yaml';
import { defined } from '../../shared/base/defined.ts';
import type { Json } from '../../shared/base/json.ts';
import { systemClock } from '../../shared/base/runtime.ts';
import type { ClusterAccess } from '../../shared/kube/access/kubeconfig.ts';
import { connectCluster } from '../../shared/kube/client/http.ts';
import type { ClusterApi } from '../../shared/kube/contract.ts';
import { createHttpClient, type HttpMethod } from '../../shared/net/http-client.ts';
import { silentLog } from '../../shared/observe/log/log.ts';

/** Plain data, so that it can be handed to the processes that run the tests. */
export interface KubeAccess extends ClusterAccess {
  /** The path of a kubeconfig with all rights. */
  kubeconfig: string;
}

export interface ConnectOptions {
  /** Another identity than the administrator's. */
  token?: string;
  name?: string;
  fieldManager?: string;
  requestTimeoutMs?: number;
}

export interface RawAnswer {
  code: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field, and a wrong shape fails the test.
  body: any;
}

export interface KubeCluster {
  readonly access: KubeAccess;
  readonly url: string;
  readonly ca: string | undefined;
  /** The path of a kubeconfig with all rights. */
  readonly kubeconfig: string;
  connect(options?: ConnectOptions): ClusterApi;
  /** A token of a service account that exists, by the TokenRequest API. */
  tokenFor(serviceAccount: { namespace: string; name: string }): Promise<string>;
  /** Any request, as the administrator. */
  request(method: HttpMethod, path: string, body?: Json, contentType?: string): Promise<RawAnswer>;
  /** Creates or changes objects as `kubectl apply --server-side --force-conflicts` does; waits for definitions to be served. */
  apply(...objects: KubeManifest[]): Promise<void>;
}

export interface KubeManifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; [field: string]: unknown };
  [field: string]: unknown;
}

const usualTimeoutMs = 30_000;

export function kubeCluster(access: KubeAccess): KubeCluster {
  const credentials = defined({ ca: access.ca, cert: access.cert, key: access.key });
  const adminToken =
    access.token ?? (access.tokenFile === undefined ? undefined : readFileSync(access.tokenFile, 'utf8').trim());

  const request = async (
    method: HttpMethod,
    path: string,
    body?: Json,
    contentType = 'application/json',
  ): Promise<RawAnswer> => {
    const client = createHttpClient({
      baseUrl: access.url,
      userAgent: 'poolwright-tests',
      ...credentials,
      token: () => adminToken,
    });
    try {
      const headers = { 'content-type': contentType };
      const answer = await client.request({ method, path, body, headers, timeoutMs: usualTimeoutMs });
      if (!answer.ok) throw new Error(answer.message);
      return { code: answer.status, body: answer.json() ?? answer.text };
    } finally {
      client.close();
    }
  };

  const must = async (answer: Promise<RawAnswer>, what: string): Promise<RawAnswer> => {
    const { code, body } = await answer;
    if (code < 200 || code > 299) throw new Error(`${what}: ${code} ${JSON.stringify(body)}`);
    return { code, body };
  };

  return {
    access,
    url: access.url,
    ca: access.ca,
    kubeconfig: access.kubeconfig,
    request,

    connect: (options = {}) => {
      const { url, ca, cert, key, token, tokenFile } = access;
      return connectCluster({
        name: options.name ?? 'test',
        url,
        ca,
        ...(options.token === undefined ? { cert, key, token, tokenFile } : { token: options.token }),
        clock: systemClock,
        log: silentLog,
        requestTimeoutMs: options.requestTimeoutMs ?? usualTimeoutMs,
        fieldManager: options.fieldManager ?? 'poolwright',
      });
    },

    tokenFor: async ({ namespace, name }) => {
      const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
      const wanted = {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { expirationSeconds: 3600 },
      };
      const { body } = await must(request('POST', path, wanted), `A token for ${namespace}/${name}`);
      return body.status.token;
    },

    apply: async (...objects) => {
      for (const object of objects) {
        const path = await pathOf(request, object);
        const query = 'fieldManager=poolwright-tests&force=true';
        const body = JSON.stringify(object);
        await must(
          request('PATCH', `${path}?${query}`, body, 'application/apply-patch+yaml'),
          `${object.kind} ${object.metadata.name}`,
        );
        if (object.kind === 'CustomResourceDefinition') await served(request, object.metadata.name);
      }
    },
  };
}

/** Every object in the YAML files of a folder, in order of file name. */
export function manifestsIn(directory: string): KubeManifest[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .flatMap((file) => manifestsFrom(readFileSync(join(directory, file), 'utf8')));
}

export function manifestsFrom(text: string): KubeManifest[] {
  return text
    .split(/^---$/m)
    .map((document) => parse(document) as KubeManifest | null)
    .filter((document) => document !== null);
}

type Request = KubeCluster['request'];

/** The plural and whether a kind lives in namespaces are the server's to say. */
async function pathOf(request: Request, object: KubeManifest): Promise<string> {
  const root = object.apiVersion.includes('/') ? `/apis/${object.apiVersion}` : `/api/${object.apiVersion}`;
  const { code, body } = await request('GET', root);
  const resources: { name: string; kind: string; namespaced: boolean }[] = code === 200 ? body.resources : [];
  const resource = resources.find(({ kind, name }) => kind === object.kind && !name.includes('/'));
  if (resource === undefined) throw new Error(`the server does not serve ${object.apiVersion} ${object.kind}`);
  const { name, namespace = 'default' } = object.metadata;
  return `${root}/${resource.namespaced ? `namespaces/${namespace}/` : ''}${resource.name}/${name}`;
}

/** Established comes a moment before the first object is taken. */
async function served(request: Request, definition: string): Promise<void> {
  for (let look = 0; look < 200; look += 1) {
    const { body } = await request('GET', `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition}`);
    const established = body.status?.conditions?.some(
      (one: { type: string; status: string }) => one.type === 'Established' && one.status === 'True',
    );
    if (established) {
      const { group, names, versions } = body.spec;
      const answers = await Promise.all(
        versions
          .filter((version: { served: boolean }) => version.served)
          .map((version: { name: string }) => request('GET', `/apis/${group}/${version.name}/${names.plural}?limit=1`)),
      );
      if (answers.every(({ code }) => code === 200)) return;
    }
    await pause(50);
  }
  throw new Error(`the definition ${definition} was not served within 10 s`);
}
