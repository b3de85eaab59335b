/** The REST interface of the stand-in for the Lambda service, as the AWS SDK speaks it: JSON, times in seconds. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LambdaError } from './contract.ts';
import { type ErrorObject, type OperationUpdate, toWire } from './operation.ts';
import { type InvokeRequest, type LambdaService, plainName } from './service.ts';
import type { Execution, HistoryEvent } from './store.ts';

export interface LambdaHttp {
  readonly url: string;
  readonly requests: string[];
  /**
   * Asked for every request: an error to answer with instead of serving it.
   * With `served` it is served all the same, and only the answer is lost.
   */
  refuse: ((line: string) => { status: number; type: string; served?: boolean } | undefined) | undefined;
  close(): Promise<void>;
}

interface Request {
  parts: string[];
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: string;
}

interface Answer {
  status: number;
  body?: unknown;
  /** Sent as it is instead of the body. */
  text?: string;
  headers?: Record<string, string>;
}

const bodyLimit = 8 * 1024 * 1024;

export async function startLambdaHttp(service: LambdaService, port = 0): Promise<LambdaHttp> {
  const server = createServer((request, response) => {
    void serve(request, response);
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const line = `${request.method} ${decodeURIComponent(url.pathname)}`;
    http.requests.push(line);
    const answer = await answerTo(request, url, line).catch(errorAnswer);
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(answer.text ?? (answer.body === undefined ? '{}' : JSON.stringify(answer.body)));
  }

  async function answerTo(request: IncomingMessage, url: URL, line: string): Promise<Answer> {
    const body = await read(request);
    const refused = http.refuse?.(line);
    const refusal = refused && errorAnswer(new LambdaError(refused.type, 'refused by the test', refused.status));
    if (refusal && !refused.served) return refusal;
    const parts = url.pathname.split('/').filter(Boolean).map(decodeURIComponent);
    const answer = await route(service, request.method ?? 'GET', {
      parts,
      query: url.searchParams,
      headers: request.headers,
      body,
    });
    return refusal ?? answer;
  }

  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const http: LambdaHttp = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    refuse: undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return http;
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += (chunk as Buffer).length;
    if (length > bodyLimit) throw new LambdaError('RequestTooLargeException', `more than ${bodyLimit} bytes`, 413);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}

function errorAnswer(error: unknown): Answer {
  const { name, message, status } =
    error instanceof LambdaError ? error : new LambdaError('ServiceException', String(error), 500);
  const body = { Type: status < 500 ? 'User' : 'Server', Message: message, message };
  return { status, body, headers: { 'x-amzn-errortype': name } };
}

async function route(service: LambdaService, method: string, request: Request): Promise<Answer> {
  const [, kind, id = '', what = ''] = request.parts;
  const handler = routes[[method, kind, what].join(' ').trim()];
  if (!handler) throw new LambdaError('UnknownOperationException', `no such operation: ${method} ${kind} ${what}`, 404);
  return handler(service, id, request);
}

type Handler = (service: LambdaService, id: string, request: Request) => Answer | Promise<Answer>;

const routes: Readonly<Record<string, Handler>> = {
  'POST functions invocations': invoke,
  'GET functions durable-executions': list,
  'POST durable-executions checkpoint': checkpoint,
  'GET durable-executions state': state,
  'GET durable-executions': describe,
  'GET durable-executions history': history,
  'POST durable-executions stop': stop,
  'POST durable-execution-callbacks succeed': (service, id, { body }) => {
    service.executions.callback(id, { result: body === '' ? undefined : body });
    return { status: 200 };
  },
  'POST durable-execution-callbacks fail': (service, id, { body }) => {
    service.executions.callback(id, { error: body === '' ? {} : (JSON.parse(body) as ErrorObject) });
    return { status: 200 };
  },
  'POST durable-execution-callbacks heartbeat': (service, id) => {
    service.executions.callback(id, 'heartbeat');
    return { status: 200 };
  },
};

async function invoke(service: LambdaService, functionName: string, request: Request): Promise<Answer> {
  const header = (name: string): string | undefined => {
    const value = request.headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  const answer = await service.invoke({
    functionName,
    qualifier: request.query.get('Qualifier') ?? undefined,
    type: (header('x-amz-invocation-type') ?? 'RequestResponse') as InvokeRequest['type'],
    payload: request.body,
    executionName: header('x-amz-durable-execution-name'),
  });
  return {
    status: answer.status,
    text: answer.payload,
    headers: {
      'x-amz-executed-version': answer.version,
      ...(answer.functionError ? { 'x-amz-function-error': answer.functionError } : {}),
      ...(answer.executionArn ? { 'x-amz-durable-execution-arn': answer.executionArn } : {}),
    },
  };
}

/** Times in JSON are seconds. */
const seconds = (at: number): number => at / 1000;

async function checkpoint(service: LambdaService, arn: string, { body }: Request): Promise<Answer> {
  const { CheckpointToken, ClientToken, Updates } = JSON.parse(body) as {
    CheckpointToken?: string;
    ClientToken?: string;
    Updates?: OperationUpdate[];
  };
  const { token, operations } = await service.checkpoint({
    arn,
    token: CheckpointToken ?? '',
    clientToken: ClientToken,
    updates: Updates ?? [],
  });
  const Operations = operations.map((operation) => toWire(operation, seconds));
  return { status: 200, body: { CheckpointToken: token, NewExecutionState: { Operations } } };
}

function state(service: LambdaService, arn: string, { query }: Request): Answer {
  const operations = service.executions.state(arn, query.get('CheckpointToken') ?? '');
  const page = service.page(operations, Number(query.get('Marker') ?? 0));
  const Operations = page.operations.map((operation) => toWire(operation, seconds));
  return { status: 200, body: { Operations, ...(page.next ? { NextMarker: page.next } : {}) } };
}

function summary(service: LambdaService, execution: Execution): Record<string, unknown> {
  return {
    DurableExecutionArn: execution.arn,
    DurableExecutionName: execution.name,
    FunctionArn: `${service.functionArn(execution.function)}:${execution.version}`,
    Status: execution.status,
    StartTimestamp: seconds(execution.started),
    ...(execution.ended === null ? {} : { EndTimestamp: seconds(execution.ended) }),
  };
}

function describe(service: LambdaService, arn: string): Answer {
  const execution = service.executions.find(arn);
  const body = {
    ...summary(service, execution),
    InputPayload: execution.input,
    Version: execution.version,
    ...(execution.result === null ? {} : { Result: execution.result }),
    ...(execution.error === null ? {} : { Error: JSON.parse(execution.error) as ErrorObject }),
  };
  return { status: 200, body };
}

function list(service: LambdaService, functionName: string, { query }: Request): Answer {
  const statuses = query.getAll('Statuses');
  const name = query.get('DurableExecutionName');
  const found = service.executions.store
    .list(plainName(functionName))
    .filter((one) => (statuses.length === 0 || statuses.includes(one.status)) && (name === null || one.name === name));
  const { items, next } = paged(query.get('ReverseOrder') === 'true' ? found.reverse() : found, query, 50);
  const DurableExecutions = items.map((one) => summary(service, one));
  return { status: 200, body: { DurableExecutions, ...next } };
}

function history(service: LambdaService, arn: string, { query }: Request): Answer {
  service.executions.find(arn);
  const events = service.executions.store.events(arn);
  const { items, next } = paged(query.get('ReverseOrder') === 'true' ? events.reverse() : events, query, 100);
  const withData = query.get('IncludeExecutionData') === 'true';
  return { status: 200, body: { Events: items.map((event) => toEvent(event, withData)), ...next } };
}

function toEvent(event: HistoryEvent, withData: boolean): Record<string, unknown> {
  const { details, at, EventType, ...rest } = event;
  const { scheduledEnd, Result, Input, Error: error, ...plain } = details;
  const end = typeof scheduledEnd === 'number' ? { ScheduledEndTimestamp: seconds(scheduledEnd) } : {};
  const data = { ...(Result ? { Result } : {}), ...(Input ? { Input } : {}), ...(error ? { Error: error } : {}) };
  const told = { ...plain, ...end, ...(withData ? data : {}) };
  return { ...rest, EventType, EventTimestamp: seconds(at), [`${EventType}Details`]: told };
}

function paged<T>(all: readonly T[], query: URLSearchParams, most: number): { items: T[]; next: object } {
  const from = Number(query.get('Marker') ?? 0);
  const to = from + Math.min(Number(query.get('MaxItems') ?? most), 1000);
  return { items: all.slice(from, to), next: to < all.length ? { NextMarker: String(to) } : {} };
}

function stop(service: LambdaService, arn: string, { body }: Request): Answer {
  const error = body === '' ? undefined : (JSON.parse(body) as ErrorObject);
  return { status: 200, body: { StopTimestamp: seconds(service.executions.stop(arn, error)) } };
}
