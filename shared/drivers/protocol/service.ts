/** The calls of the protocol as gRPC libraries want them: a path, and four functions between messages and bytes. */
import protobuf from 'protobufjs/light.js';
import descriptor from './descriptor.json' with { type: 'json' };
import type { ProviderCalls } from './messages.ts';

export type CallName = keyof ProviderCalls;
export type RequestOf<C extends CallName> = ProviderCalls[C]['request'];
export type ResponseOf<C extends CallName> = ProviderCalls[C]['response'];

export interface CallDefinition<C extends CallName> {
  path: string;
  requestStream: false;
  responseStream: false;
  /** What is left out has the zero value of its type. */
  requestSerialize(request: Partial<RequestOf<C>>): Buffer;
  requestDeserialize(bytes: Uint8Array): RequestOf<C>;
  responseSerialize(response: Partial<ResponseOf<C>>): Buffer;
  responseDeserialize(bytes: Uint8Array): ResponseOf<C>;
}

export type ProviderService = { readonly [C in CallName]: CallDefinition<C> };

export const serviceName = 'provider.v1.Provider';

const shape: protobuf.IConversionOptions = {
  defaults: true,
  arrays: true,
  objects: true,
  longs: Number,
  enums: String,
  bytes: Buffer,
};

const root = protobuf.Root.fromJSON(descriptor as protobuf.INamespace).resolveAll();

const writer =
  (type: protobuf.Type) =>
  (message: object): Buffer =>
    Buffer.from(type.encode(type.fromObject(message)).finish());

/** Absent messages are left out by the library, and are null with `defaults`. */
const reader =
  (type: protobuf.Type) =>
  (bytes: Uint8Array): object => {
    const message = type.toObject(type.decode(bytes), shape);
    for (const [field, value] of Object.entries(message)) if (value === null) delete message[field];
    return message;
  };

export const providerService = Object.fromEntries(
  root.lookupService(serviceName).methodsArray.map(({ name, requestType, responseType }) => {
    const [request, response] = [
      root.lookupType(`provider.v1.${requestType}`),
      root.lookupType(`provider.v1.${responseType}`),
    ];
    const definition = {
      path: `/${serviceName}/${name}`,
      requestStream: false,
      responseStream: false,
      requestSerialize: writer(request),
      requestDeserialize: reader(request),
      responseSerialize: writer(response),
      responseDeserialize: reader(response),
    };
    return [name, definition];
  }),
) as unknown as ProviderService;
