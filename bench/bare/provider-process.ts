/**
 * A gRPC server with the same library, the same TLS and the same driver behind it, and nothing else: no names that are allowed, no limit, no
 * metrics, no log. Prints its port. Arguments: the directory with the certificates, and the file of the mock.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as grpc from '@grpc/grpc-js';
import { systemClock, systemRandom } from '../../shared/base/runtime.ts';
import { systemTimers } from '../../shared/base/timers.ts';
import { handlersOf } from '../../shared/drivers/grpc/handlers.ts';
import { mockDriver } from '../../shared/drivers/mock/driver.ts';
import { mockDefaults } from '../../shared/drivers/mock/options.ts';
import { providerService } from '../../shared/drivers/protocol/service.ts';

const [directory = '', file = ''] = process.argv.slice(2);
const parts = { clock: systemClock, timers: systemTimers, random: systemRandom };
const handlers = handlersOf(mockDriver({ ...mockDefaults, file }, parts));
const never = new AbortController().signal;
const read = (name: string): Buffer => readFileSync(join(directory, name));

const server = new grpc.Server();
server.addService(providerService as unknown as grpc.ServiceDefinition, {
  Describe: (call: grpc.ServerUnaryCall<{ id: string }, object>, answer: grpc.sendUnaryData<object>) =>
    void handlers.Describe(call.request, never).then((result) => answer(null, result.ok ? result.value : {})),
});
const pair = [{ cert_chain: read('tls.crt'), private_key: read('tls.key') }];
server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createSsl(read('ca.crt'), pair, true), (_, port) =>
  console.log(JSON.stringify({ port })),
);
