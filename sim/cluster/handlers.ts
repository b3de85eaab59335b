/** The verbs on objects: reads the request, does it, and answers after the commit. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { defined } from '../../shared/base/defined.ts';
import { isObject, type Json } from '../../shared/base/json.ts';
import { ApiError, badRequest, expired, methodNotAllowed, pathNotFound, unsupportedMediaType } from './api-error.ts';
import { deleteObject, parseDeleteOptions } from './deletion.ts';
import { evict } from './eviction.ts';
import { contentTypeOf, parseJson, parseObjectBody, parseYamlText, readBody, sendJson } from './http.ts';
import { type Form, formOf, includeObjectOf } from './negotiation.ts';
import { applyPatch, patchTypeOf } from './patches/patches.ts';
import type { Target } from './routes.ts';
import { scaleOf, withScale } from './scale.ts';
import { type ClusterStore, requireManager } from './store/cluster-store.ts';
import { type Entry, keyOf } from './store/object-store.ts';
import type { Page } from './store/pages.ts';
import { partialMetadata, tableOf } from './table.ts';
import { apiVersionOf, type JsonObject, type KubeObject, storageKey } from './types.ts';
import { startWatch } from './watch-stream.ts';
import { type FieldValidation, type WriteOptions, writeOptions } from './writes.ts';

export interface Call {
  store: ClusterStore;
  request: IncomingMessage;
  response: ServerResponse;
  query: URLSearchParams;
  target: Target;
}

const shortestDefaultWatchSeconds = 1800;

export async function handle(call: Call): Promise<void> {
  const { target, request } = call;
  checkSubresource(target, request.method ?? '');
  if (target.name === undefined) {
    if (request.method === 'GET') return list(call);
    if (request.method === 'POST') return create(call);
    if (request.method === 'DELETE') return deleteMany(call);
    throw methodNotAllowed();
  }
  if (target.subresource === 'scale') return scale(call, target.name);
  switch (request.method) {
    case 'GET':
      // Old clients watch one object by its own path.
      if (isTrue(call.query.get('watch'))) return watch(call, `metadata.name=${target.name}`);
      return answer(call, 200, call.store.writes.require(target.resource, target.namespace, target.name));
    case 'PUT':
      return put(call, target.name);
    case 'PATCH':
      return patch(call, target.name);
    case 'DELETE':
      return deleteOne(call, target.name);
    case 'POST':
      if (target.subresource === 'eviction') return evictPod(call, target.name);
      throw methodNotAllowed();
    default:
      throw methodNotAllowed();
  }
}

function checkSubresource({ resource, subresource }: Target, method: string): void {
  if (subresource === '') return;
  const isPod = resource.group === '' && resource.plural === 'pods';
  if (subresource === 'eviction' && isPod) {
    if (method !== 'POST') throw methodNotAllowed();
    return;
  }
  const served = subresource === 'status' ? resource.statusSubresource : subresource === 'scale' && resource.scale;
  if (!served) throw pathNotFound();
  if (!['GET', 'PUT', 'PATCH'].includes(method)) throw methodNotAllowed();
}

function isTrue(value: string | null): boolean {
  return value === 'true' || value === '1';
}

/** Answers when everything that the answer shows is safe on disk. */
function whenCommitted(call: Call, send: () => void): void {
  call.store.objects.afterCommit((failure) => {
    if (failure) {
      const status = new ApiError(500, 'InternalError', failure.message).toStatus();
      sendJson(call.response, 500, JSON.stringify(status));
    } else send();
  });
}

function answer(call: Call, code: number, entry: Entry, warnings: string[] = []): void {
  const form = formOf(call.request.headers.accept);
  const text = form === 'object' ? entry.json : JSON.stringify(inForm(call, form, entry));
  whenCommitted(call, () => sendJson(call.response, code, text, warnings));
}

function inForm(call: Call, form: Form, { object }: Entry): JsonObject {
  if (form === 'partial') return partialMetadata(object);
  const { resourceVersion } = object.metadata;
  return tableOf(call.target.resource, [object], { resourceVersion }, call.store.clock.now(), {
    includeObject: includeObjectOf(call.query.get('includeObject')),
    withColumns: true,
  });
}

function list(call: Call): void {
  const { store, query, target } = call;
  if (isTrue(query.get('watch'))) {
    watch(call);
    return;
  }
  const { resource, namespace } = target;
  const form = formOf(call.request.headers.accept);
  const selection = {
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
  };
  const select = () => store.select(resource, namespace, selection);
  const limit = Number(query.get('limit') ?? 0);
  if (!Number.isInteger(limit) || limit < 0)
    throw badRequest(`limit must be a whole number, not "${query.get('limit')}"`);
  const token = query.get('continue') ?? '';
  const current = store.objects.resourceVersion;
  checkListVersion(query, token, current);
  const page =
    token === '' ? store.pager.first(select(), limit, current) : store.pager.next(token, limit, current, select);
  const selective = selection.labelSelector !== '' || selection.fieldSelector !== '';
  const text = listText(call, form, page, selective);
  whenCommitted(call, () => sendJson(call.response, 200, text));
}

/** The present is all we can list; a client that insists on a certain past gets 410. */
function checkListVersion(query: URLSearchParams, token: string, current: number): void {
  const version = query.get('resourceVersion') ?? '';
  const match = query.get('resourceVersionMatch') ?? '';
  if (match !== '' && version === '') {
    throw badRequest('resourceVersionMatch is forbidden unless resourceVersion is provided');
  }
  if (version === '' || version === '0') return;
  if (token !== '') throw badRequest('specifying resource version is not allowed when using continue');
  if (!/^\d+$/.test(version)) throw badRequest(`invalid resource version "${version}"`);
  if (Number(version) > current) {
    throw new ApiError(504, 'Timeout', `Too large resource version: ${version}, current: ${current}`, {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    });
  }
  if (match === 'Exact' && Number(version) !== current) {
    throw expired(`The resourceVersion for the provided list is too old.`);
  }
}

function listText(call: Call, form: Form, page: Page, selective: boolean): string {
  const { resource } = call.target;
  const metadata: JsonObject = {
    resourceVersion: page.resourceVersion,
    ...defined({ continue: page.continueToken }),
    // With a selector a real server does not know how many are left.
    ...(page.continueToken === undefined || selective ? {} : { remainingItemCount: page.remaining }),
  };
  if (form === 'table') {
    const objects = page.entries.map(({ object }) => object);
    const includeObject = includeObjectOf(call.query.get('includeObject'));
    return JSON.stringify(
      tableOf(resource, objects, metadata, call.store.clock.now(), { includeObject, withColumns: true }),
    );
  }
  const items =
    form === 'partial'
      ? page.entries.map(({ object }) => JSON.stringify(partialMetadata(object)))
      : page.entries.map(({ json }) => json);
  const kind = form === 'partial' ? 'PartialObjectMetadataList' : `${resource.kind}List`;
  const apiVersion = form === 'partial' ? 'meta.k8s.io/v1' : apiVersionOf(resource);
  return `{"kind":"${kind}","apiVersion":"${apiVersion}","metadata":${JSON.stringify(metadata)},"items":[${items.join(',')}]}`;
}

function watch(call: Call, fieldSelector?: string): void {
  const { query, target, store } = call;
  const timeout = Number(query.get('timeoutSeconds') ?? 0);
  const sendInitialEvents = isTrue(query.get('sendInitialEvents'));
  if (sendInitialEvents && query.get('resourceVersionMatch') !== 'NotOlderThan') {
    const message = 'Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan';
    throw new ApiError(422, 'Invalid', `ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: ${message}`, {
      group: 'meta.k8s.io',
      kind: 'ListOptions',
      causes: [{ reason: 'FieldValueForbidden', message, field: 'resourceVersionMatch' }],
    });
  }
  startWatch(
    store,
    {
      resource: target.resource,
      namespace: target.namespace,
      labelSelector: query.get('labelSelector') ?? undefined,
      fieldSelector: fieldSelector ?? query.get('fieldSelector') ?? undefined,
      resourceVersion: query.get('resourceVersion') ?? '',
      bookmarks: isTrue(query.get('allowWatchBookmarks')),
      sendInitialEvents,
      timeoutSeconds: timeout > 0 ? timeout : shortestDefaultWatchSeconds,
      form: formOf(call.request.headers.accept),
      includeObject: includeObjectOf(query.get('includeObject')),
    },
    call.response,
  );
}

function optionsOf(call: Call): WriteOptions {
  const { query, target, request } = call;
  const validation = query.get('fieldValidation') ?? '';
  if (!['', 'Ignore', 'Warn', 'Strict'].includes(validation)) {
    throw badRequest(`fieldValidation must be Ignore, Warn or Strict, not "${validation}"`);
  }
  const dryRun = query.getAll('dryRun');
  if (dryRun.some((value) => value !== 'All' && value !== '')) {
    throw badRequest(`dryRun must be All, not "${dryRun.join(',')}"`);
  }
  return writeOptions({
    dryRun: dryRun.includes('All'),
    fieldValidation: (validation || 'Warn') as FieldValidation,
    // Without a name the writer is known by its program, as on a real server.
    fieldManager:
      query.get('fieldManager') || ((request.headers['user-agent'] ?? 'unknown').split('/')[0] ?? 'unknown'),
    subresource: target.subresource === 'status' ? 'status' : '',
  });
}

async function objectBody(call: Call): Promise<JsonObject> {
  const body = parseObjectBody(await readBody(call.request), contentTypeOf(call.request));
  if (!isObject(body)) throw badRequest('the body must be an object');
  return body;
}

/** Kinds in namespaces are written within one. */
function requireNamespace({ resource, namespace }: Target): void {
  if (resource.namespaced && namespace === undefined) throw methodNotAllowed();
}

async function create(call: Call): Promise<void> {
  requireNamespace(call.target);
  const options = optionsOf(call);
  const body = await objectBody(call);
  const entry = call.store.writes.create(call.target.resource, call.target.namespace, body, options);
  answer(call, 201, entry, options.warnings);
}

async function put(call: Call, name: string): Promise<void> {
  const options = optionsOf(call);
  const body = await objectBody(call);
  const { resource, namespace } = call.target;
  const { entry, created } = call.store.replace(resource, namespace, name, body, options);
  answer(call, created ? 201 : 200, entry, options.warnings);
}

async function patch(call: Call, name: string): Promise<void> {
  const { resource, namespace } = call.target;
  const type = patchTypeOf(contentTypeOf(call.request), resource);
  const options = optionsOf(call);
  if (type === 'apply') requireManager(call.query.get('fieldManager') ?? '');
  const text = (await readBody(call.request)).toString('utf8');
  const body = type === 'apply' ? parseYamlText(text) : parseJson(text);
  const force = isTrue(call.query.get('force'));
  const { entry, created } = call.store.change(resource, namespace, name, type, body, options, force);
  answer(call, created ? 201 : 200, entry, options.warnings);
}

async function scale(call: Call, name: string): Promise<void> {
  const { resource, namespace } = call.target;
  const { writes } = call.store;
  const paths = resource.scale;
  if (paths === undefined) throw pathNotFound();
  let entry = writes.require(resource, namespace, name);
  if (call.request.method !== 'GET') {
    const options = optionsOf(call);
    const isPatch = call.request.method === 'PATCH';
    const body = isPatch ? parseJson((await readBody(call.request)).toString('utf8')) : await objectBody(call);
    const type = isPatch ? patchTypeOf(contentTypeOf(call.request), resource) : 'merge';
    if (type === 'apply') throw unsupportedMediaType(['application/merge-patch+json', 'application/json-patch+json']);
    const wanted = (current: KubeObject): JsonObject =>
      withScale(current, isPatch ? applyPatch(scaleOf(current, paths), type, body, resource) : body, paths);
    ({ entry } = writes.update(resource, namespace, name, wanted, options, 'patch'));
  }
  whenCommitted(call, () => sendJson(call.response, 200, JSON.stringify(scaleOf(entry.object, paths))));
}

async function deleteBody(call: Call): Promise<Json | undefined> {
  const body = await readBody(call.request);
  return body.length === 0 ? undefined : parseObjectBody(body, contentTypeOf(call.request));
}

function queryDeleteDefaults(query: URLSearchParams) {
  const propagationPolicy = query.get('propagationPolicy');
  const grace = query.get('gracePeriodSeconds');
  return {
    dryRun: query.getAll('dryRun').includes('All'),
    ...(propagationPolicy ? { propagationPolicy } : {}),
    ...(grace ? { gracePeriodSeconds: Number(grace) } : {}),
  };
}

async function deleteOne(call: Call, name: string): Promise<void> {
  const { resource, namespace } = call.target;
  const options = parseDeleteOptions(await deleteBody(call), queryDeleteDefaults(call.query));
  const { entry, gone } = deleteObject(call.store.writes, resource, namespace, name, options);
  const code = !gone && options.propagationPolicy === 'Foreground' ? 202 : 200;
  if (!gone || resource.returnsDeletedObject) {
    answer(call, code, entry);
    return;
  }
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name,
      ...(resource.group === '' ? {} : { group: resource.group }),
      kind: resource.plural,
      uid: entry.object.metadata.uid,
    },
  };
  whenCommitted(call, () => sendJson(call.response, code, JSON.stringify(status)));
}

async function deleteMany(call: Call): Promise<void> {
  requireNamespace(call.target);
  const { store, query, target } = call;
  const options = parseDeleteOptions(await deleteBody(call), queryDeleteDefaults(query));
  const chosen = store.select(target.resource, target.namespace, {
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
  });
  const entries = chosen.flatMap(({ object }) => {
    const { namespace, name } = object.metadata;
    // One deletion may have taken another object of the list along.
    const isThere = store.objects.get(storageKey(target.resource), keyOf(namespace, name)) !== undefined;
    return isThere ? [deleteObject(store.writes, target.resource, namespace, name, options).entry] : [];
  });
  const version = String(store.objects.resourceVersion);
  const page: Page = { entries, resourceVersion: version, continueToken: undefined, remaining: 0 };
  const text = listText(call, 'object', page, true);
  whenCommitted(call, () => sendJson(call.response, 200, text));
}

async function evictPod(call: Call, name: string): Promise<void> {
  const body = await objectBody(call);
  const { resource, namespace = '' } = call.target;
  evict(call.store.writes, resource, namespace, name, body);
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
  whenCommitted(call, () => sendJson(call.response, 201, JSON.stringify(status)));
}
