/**
 * Where the Durable extension listens, as a `durableClient` binding tells it. A local address is offered to functions on
 * the same machine; without it, the management interface is used, whose addresses carry a key: they are secrets.
 */

import { rememberSecret } from '../../base/secrets/known-secrets.ts';

/** Part of an address: what a request needs beside the server's name. */
export interface Target {
  path: string;
  query: Record<string, string>;
}

export interface DurableEndpoint {
  readonly origin: string;
  start(functionName: string, instance: string): Target;
  status(instance: string): Target;
  raise(instance: string, event: string): Target;
  terminate(instance: string, reason: string): Target;
  /** All instances; what is asked for comes in the query. */
  instances(): Target;
}

interface ClientData {
  rpcBaseUrl?: string;
  creationUrls?: { createNewInstancePostUri?: string };
  managementUrls?: Partial<Record<'id' | 'statusQueryGetUri' | 'sendEventPostUri' | 'terminatePostUri', string>>;
}

/** @param data The value of the binding: an object, or its JSON. */
export function readEndpoint(data: unknown): DurableEndpoint {
  const read = typeof data === 'string' ? parse(data) : data;
  if (read === null || typeof read !== 'object') throw missing();
  const { rpcBaseUrl, creationUrls, managementUrls } = read as ClientData;
  if (rpcBaseUrl) return localEndpoint(new URL(rpcBaseUrl));
  const create = creationUrls?.createNewInstancePostUri;
  const { id, statusQueryGetUri, sendEventPostUri, terminatePostUri } = managementUrls ?? {};
  if (!create || !id || !statusQueryGetUri || !sendEventPostUri || !terminatePostUri) throw missing();
  return {
    origin: new URL(create).origin,
    start: (functionName, instance) =>
      target(create.replace('{functionName}', part(functionName)).replace('[/{instanceId}]', `/${part(instance)}`)),
    status: (instance) => target(statusQueryGetUri.replace(id, part(instance))),
    raise: (instance, event) =>
      target(sendEventPostUri.replace(id, part(instance)).replace('{eventName}', part(event))),
    terminate: (instance, reason) =>
      target(terminatePostUri.replace(id, part(instance)).replace('{text}', part(reason))),
    instances: () => target(statusQueryGetUri.replace(id, '')),
  };
}

function localEndpoint(base: URL): DurableEndpoint {
  const at = (path: string, query: Record<string, string> = {}): Target => ({
    path: `${base.pathname.replace(/\/$/, '')}/${path}`,
    query,
  });
  return {
    origin: base.origin,
    start: (functionName, instance) => at(`orchestrators/${part(functionName)}/${part(instance)}`),
    status: (instance) => at(`instances/${part(instance)}`),
    raise: (instance, event) => at(`instances/${part(instance)}/raiseEvent/${part(event)}`),
    terminate: (instance, reason) => at(`instances/${part(instance)}/terminate`, { reason }),
    instances: () => at('instances/'),
  };
}

const part = encodeURIComponent;

function target(address: string): Target {
  const url = new URL(address);
  rememberSecret(url.searchParams.get('code') ?? undefined);
  return { path: url.pathname, query: Object.fromEntries(url.searchParams) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw missing();
  }
}

const missing = (): Error =>
  new Error(
    'this function has no durable client: give it an input binding of the type "durableClient", and the app the Durable Task extension (extensionBundle in host.json)',
  );
