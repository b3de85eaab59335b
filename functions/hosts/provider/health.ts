/** `grpc.health.v1`: whether the server takes calls, for itself and for the service. */
import * as grpc from '@grpc/grpc-js';
import protobuf from 'protobufjs/light.js';

const status = { unknown: 0, serving: 1, notServing: 2 } as const;

const root = protobuf.Root.fromJSON({
  nested: {
    Request: { fields: { service: { type: 'string', id: 1 } } },
    Response: { fields: { status: { type: 'int32', id: 1 } } },
  },
});
const [request, response] = [root.lookupType('Request'), root.lookupType('Response')];
const definition = (path: string, responseStream: boolean): grpc.MethodDefinition<object, object> => ({
  path: `/grpc.health.v1.Health/${path}`,
  requestStream: false,
  responseStream,
  requestSerialize: (value) => Buffer.from(request.encode(request.fromObject(value)).finish()),
  requestDeserialize: (bytes) => request.toObject(request.decode(bytes), { defaults: true }),
  responseSerialize: (value) => Buffer.from(response.encode(response.fromObject(value)).finish()),
  responseDeserialize: (bytes) => response.toObject(response.decode(bytes), { defaults: true }),
});

export const healthService = { Check: definition('Check', false), Watch: definition('Watch', true) };

/** As VirtRigaud's servers name themselves. */
const services = ['', 'provider', 'provider.v1.Provider'];

export interface Health {
  setServing(serving: boolean): void;
}

export function addHealth(server: grpc.Server, initially: boolean): Health {
  let serving = initially;
  const watchers = new Set<grpc.ServerWritableStream<object, object>>();
  const current = () => ({ status: serving ? status.serving : status.notServing });
  server.addService(healthService, {
    Check: (call: grpc.ServerUnaryCall<{ service: string }, object>, answer: grpc.sendUnaryData<object>) =>
      services.includes(call.request.service)
        ? answer(null, current())
        : answer({ code: grpc.status.NOT_FOUND, details: 'unknown service' }),
    Watch: (call: grpc.ServerWritableStream<{ service: string }, object>) => {
      call.write(current());
      watchers.add(call);
      call.on('cancelled', () => watchers.delete(call));
    },
  });
  return {
    setServing: (next) => {
      if (next === serving) return;
      serving = next;
      for (const watcher of watchers) watcher.write(current());
    },
  };
}
