/** The calls that workflows need of the Lambda service, over signed HTTP. */
import { isObject, type Json } from '../../base/json.ts';
import type { EventView, ExecutionView, HistoryQuery, LambdaApi } from './api.ts';
import {
  type LambdaAnswer,
  type LambdaConnection,
  type LambdaRequest,
  SignedLambda,
  unexpected,
} from './signed-http.ts';

export interface LambdaApiOptions extends LambdaConnection {
  /** Name or ARN of the durable function. */
  functionName: string;
  /** Its version or alias: a durable function can't be started without one. */
  qualifier: string;
}

type Fields = { [key: string]: Json };

const durable = '/2025-12-01';
const part = encodeURIComponent;

export function openLambdaApi(options: LambdaApiOptions): LambdaApi {
  const lambda = new SignedLambda(options);
  const functionPath = `/functions/${part(options.functionName)}`;
  const Qualifier = options.qualifier;

  /** The fields of the answer; nothing for one of these errors, which are answers too. */
  async function ask(request: LambdaRequest, expected: readonly string[] = []): Promise<LambdaAnswer | undefined> {
    const answer = await lambda.ask(request);
    if (answer.error === undefined) return answer;
    if (expected.includes(answer.error)) return undefined;
    throw unexpected(`${request.method} ${request.path}`, answer);
  }

  async function list(
    query: Partial<Record<'DurableExecutionName' | 'Statuses' | 'Marker', string>>,
  ): Promise<{ items: ExecutionView[]; next?: string }> {
    const path = `${durable}${functionPath}/durable-executions`;
    const answer = fieldsOf(await ask({ method: 'GET', path, query: { Qualifier, ...query } }));
    return { items: listOf(answer.DurableExecutions).map(executionOf), ...nextOf(answer) };
  }

  return {
    functionName: options.functionName,
    async start(name, payload) {
      const request: LambdaRequest = {
        method: 'POST',
        path: `/2015-03-31${functionPath}/invocations`,
        query: { Qualifier },
        headers: { 'x-amz-invocation-type': 'Event', 'x-amz-durable-execution-name': name },
        body: payload,
      };
      const answer = await ask(request, ['DurableExecutionAlreadyStartedException']);
      if (!answer) return undefined;
      const arn = answer.response.headers['x-amz-durable-execution-arn'];
      if (typeof arn !== 'string') {
        throw new Error(
          `the function ${options.functionName} accepted the start of ${name} without an execution: it is not durable`,
        );
      }
      return { arn };
    },
    async execution(arn) {
      const path = `${durable}/durable-executions/${part(arn)}`;
      const answer = await ask({ method: 'GET', path }, ['ResourceNotFoundException']);
      return answer && executionOf(fieldsOf(answer));
    },
    async find(name) {
      let page: Awaited<ReturnType<typeof list>> | undefined;
      do {
        page = await list({ DurableExecutionName: name, ...given('Marker', page?.next) });
        const found = page.items.find((one) => one.name === name);
        if (found) return found;
        // A page may be empty and have a next one all the same.
      } while (page.next !== undefined);
      return undefined;
    },
    list: (status, marker) => list({ ...given('Statuses', status), ...given('Marker', marker) }),
    async history(arn, { newestFirst, withData, limit, marker }: HistoryQuery) {
      const query = {
        IncludeExecutionData: String(withData),
        ReverseOrder: String(newestFirst),
        MaxItems: String(limit),
        ...given('Marker', marker),
      };
      const path = `${durable}/durable-executions/${part(arn)}/history`;
      const answer = fieldsOf(await ask({ method: 'GET', path, query }, ['ResourceNotFoundException']));
      return { events: listOf(answer.Events).map(eventOf), ...nextOf(answer) };
    },
    async stop(arn, reason) {
      const path = `${durable}/durable-executions/${part(arn)}/stop`;
      const body = JSON.stringify({ ErrorType: 'Stopped', ErrorMessage: reason });
      // One that is over can't be stopped: nothing is left to do.
      await ask({ method: 'POST', path, body }, ['ResourceNotFoundException', 'InvalidParameterValueException']);
    },
    async completeCallback(id) {
      const path = `${durable}/durable-execution-callbacks/${part(id)}/succeed`;
      const closed = ['CallbackTimeoutException', 'ResourceNotFoundException', 'InvalidParameterValueException'];
      return (await ask({ method: 'POST', path, body: '' }, closed)) !== undefined;
    },
    close: () => lambda.close(),
  };
}

function fieldsOf(answer: LambdaAnswer | undefined): Fields {
  const body = answer?.response.json();
  return isObject(body) ? body : {};
}

const listOf = (value: Json | undefined): Fields[] =>
  Array.isArray(value) ? value.filter((item) => isObject(item)) : [];

const textOf = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined);

/** Times come in seconds. */
const timeOf = (value: Json | undefined): number =>
  typeof value === 'number' ? Math.round(value * 1000) : Date.parse(String(value));

const nextOf = ({ NextMarker: next }: Fields): { next?: string } =>
  typeof next === 'string' && next !== '' ? { next } : {};

/** Leaves out what is not there. */
function given<K extends string>(key: K, value: string | undefined): { [P in K]?: string } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: string };
}

function executionOf(fields: Fields): ExecutionView {
  const { EndTimestamp: end, Error: error } = fields;
  return {
    arn: textOf(fields.DurableExecutionArn) ?? '',
    name: textOf(fields.DurableExecutionName) ?? '',
    status: textOf(fields.Status) ?? '',
    startedAt: timeOf(fields.StartTimestamp),
    ...(end === undefined || end === null ? {} : { endedAt: timeOf(end) }),
    ...given('input', textOf(fields.InputPayload)),
    ...given('result', textOf(fields.Result)),
    ...(isObject(error)
      ? { error: { ...given('type', textOf(error.ErrorType)), ...given('message', textOf(error.ErrorMessage)) } }
      : {}),
  };
}

function eventOf(fields: Fields): EventView {
  const type = textOf(fields.EventType) ?? '';
  const said = fields[`${type}Details`];
  const details = isObject(said) ? said : {};
  const error = payloadOf(details.Error);
  return {
    type,
    at: timeOf(fields.EventTimestamp),
    ...given('name', textOf(fields.Name)),
    ...given('result', textOf(payloadOf(details.Result))),
    ...given('error', isObject(error) ? textOf(error.ErrorMessage) : undefined),
    isRetried: isObject(details.RetryDetails) && details.RetryDetails.NextAttemptDelaySeconds !== undefined,
  };
}

const payloadOf = (value: Json | undefined): Json | undefined => (isObject(value) ? value.Payload : undefined);
