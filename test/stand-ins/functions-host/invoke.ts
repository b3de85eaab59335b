/** Calls functions of an app as the host does: through the library's own model, so that all conversions are the real ones. */
import { type FunctionApp, programmingModel, type RegisteredFunction } from './core.ts';
import { fromTypedData, type HttpData, type TypedData, toTypedData } from './typed-data.ts';

export interface InvokeOptions {
  invocationId?: string;
  triggerMetadata?: Record<string, TypedData>;
}

export interface Invocation {
  /** As the library handed it to the host. */
  readonly returned: TypedData | null | undefined;
  readonly outputs: Readonly<Record<string, TypedData>>;
}

let invocations = 0;

/** Calls one function with the data of its trigger. What the function throws is thrown. */
export async function invoke(
  app: FunctionApp,
  name: string,
  trigger: TypedData,
  options: InvokeOptions = {},
): Promise<Invocation> {
  const found = app.functions.get(name);
  if (!found) throw new Error(`The function '${name}' doesn't exist, is disabled, or is not an orchestrator function.`);
  const invocationId = options.invocationId ?? `invocation-${++invocations}`;
  const core = {
    invocationId,
    metadata: { name, bindings: found.bindings },
    request: { inputData: inputData(app, found, trigger), triggerMetadata: options.triggerMetadata ?? {} },
    state: undefined as string | undefined,
    log: (level: string, category: string, message: string) => {
      app.logged.push({ level, category, message });
    },
  };
  const model = programmingModel().getInvocationModel(core);
  const { context, inputs } = await model.getArguments();
  const shared = { hookData: {}, appHookData: app.hookData, invocationContext: context };
  const before = { ...shared, inputs, functionCallback: found.callback };
  core.state = 'preInvocationHooks';
  await app.runHooks('preInvocation', before);
  core.state = 'invocation';
  const after = { ...shared, inputs: before.inputs, result: null as unknown, error: null as unknown };
  try {
    after.result = await model.invokeFunction(context, before.inputs, before.functionCallback);
  } catch (error) {
    after.error = error;
  }
  core.state = 'postInvocationHooks';
  await app.runHooks('postInvocation', after);
  core.state = undefined;
  if (after.error) throw after.error;
  const response = await model.getResponse(context, after.result);
  const outputs = Object.fromEntries((response.outputData ?? []).map((output) => [output.name, output.data]));
  return { returned: response.returnValue, outputs };
}

const isTrigger = (type: string): boolean => /trigger$/i.test(type);

/** The trigger's data, and what every other incoming binding gets from the host. */
function inputData(app: FunctionApp, { name, bindings }: RegisteredFunction, trigger: TypedData) {
  return Object.entries(bindings)
    .filter(([, binding]) => binding.direction === 'in')
    .map(([binding, { type }]) => {
      if (isTrigger(type)) return { name: binding, data: trigger };
      const supply = app.inputs.get(type);
      if (!supply)
        throw new Error(`The host has nothing for the binding "${binding}" (${type}) of function "${name}".`);
      return { name: binding, data: supply() };
    });
}

/** The value that a function returned. */
export async function call(app: FunctionApp, name: string, input: unknown, options?: InvokeOptions): Promise<unknown> {
  return fromTypedData((await invoke(app, name, toTypedData(input), options)).returned);
}

export interface HttpCall {
  method?: string;
  url: string;
  headers?: Record<string, string>;
  params?: Record<string, string>;
  body?: string | Uint8Array;
}

export interface HttpAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** An HTTP trigger. A function that returns nothing answers 204, as on the real host. */
export async function callHttp(app: FunctionApp, name: string, request: HttpCall): Promise<HttpAnswer> {
  const { method = 'GET', url, headers = {}, params = {}, body } = request;
  const nullable = (values: Record<string, string>) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, { value }]));
  const data: HttpData = {
    method,
    url,
    nullableHeaders: nullable(headers),
    nullableParams: nullable(params),
    nullableQuery: nullable(Object.fromEntries(new URL(url).searchParams)),
    ...(body === undefined ? {} : { body: toTypedData(body) }),
  };
  const { returned } = await invoke(app, name, { http: data });
  const http = returned?.http;
  if (!http) return { status: 204, headers: {}, body: '' };
  const bytes = http.body?.bytes;
  return {
    status: Number(http.statusCode),
    headers: http.headers ?? {},
    body: bytes ? Buffer.from(bytes).toString('utf8') : (http.body?.string ?? ''),
  };
}

/** A timer trigger. */
export async function callTimer(app: FunctionApp, name: string, isPastDue = false): Promise<void> {
  await call(app, name, { Schedule: { AdjustForDST: true }, ScheduleStatus: null, IsPastDue: isPastDue });
}

export interface ServiceBusMessage {
  /** The body as text; the library parses it if it is JSON. */
  body: string;
  messageId: string;
  /** How often the broker has handed it out, this time included. */
  deliveryCount: number;
  enqueuedTimeUtc?: string;
  lockToken?: string;
  sequenceNumber?: number;
  applicationProperties?: Record<string, unknown>;
}

/** A Service Bus trigger for one message: resolves when the host would complete it, throws when it would abandon it. */
export async function callServiceBus(app: FunctionApp, name: string, message: ServiceBusMessage): Promise<Invocation> {
  const { body, applicationProperties = {}, ...rest } = message;
  const named = Object.entries(rest).map(([key, value]) => [key[0]?.toUpperCase() + key.slice(1), toTypedData(value)]);
  return invoke(
    app,
    name,
    { string: body },
    {
      triggerMetadata: {
        ...Object.fromEntries(named),
        ApplicationProperties: toTypedData(applicationProperties),
      },
    },
  );
}
