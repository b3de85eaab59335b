/**
 * The stand-in for the worker of the Functions host: the module `@azure/functions-core`, which exists nowhere on npm.
 * The worker puts it under the feet of `@azure/functions` by patching `require`; so do we. Without it the library is in
 * "test mode" and silently registers nothing.
 *
 * The library asks for the module once per process (once per bundle that contains it) and keeps it. So what it gets is
 * one front for the whole process, which passes everything on to the app that is being started.
 *
 * @example
 * const app = await startApp(async () => { await import('./entry.ts'); });
 * app.functions.get('watch')?.bindings;
 */
import Module from 'node:module';
import type { TypedData } from './typed-data.ts';

export interface Binding {
  type: string;
  direction: string;
  [setting: string]: unknown;
}

type Callback = (...parameters: unknown[]) => unknown;

/** A function as the host gets to know it: the name, and each binding by its name. */
export interface RegisteredFunction {
  readonly name: string;
  readonly bindings: Readonly<Record<string, Binding>>;
  readonly retryOptions?: unknown;
  readonly callback: Callback;
}

export type HookName = 'appStart' | 'appTerminate' | 'preInvocation' | 'postInvocation' | 'log';
type Hook = (context: unknown) => unknown;

export interface InvocationModel {
  getArguments(): Promise<{ context: unknown; inputs: unknown[] }>;
  invokeFunction(context: unknown, inputs: unknown[], callback: Callback): Promise<unknown>;
  getResponse(
    context: unknown,
    result: unknown,
  ): Promise<{ returnValue?: TypedData | null; outputData?: { name: string; data: TypedData }[] }>;
}

export interface ProgrammingModel {
  readonly name: string;
  readonly version: string;
  getInvocationModel(context: unknown): InvocationModel;
}

export interface LogLine {
  level: string;
  category: string;
  message: string;
}

/** One start of an app: what its entries have registered. */
export class FunctionApp {
  readonly functions = new Map<string, RegisteredFunction>();
  readonly hooks = new Map<HookName, Hook[]>();
  readonly logged: LogLine[] = [];
  /** Entries that threw while they were loaded. The real host shows no more than a warning. */
  readonly failures: { file: string; error: unknown }[] = [];
  /** What hooks may leave for each other. */
  readonly hookData: Record<string, unknown> = {};
  /** What functions get through a binding of this type, such as `durableClient`. */
  readonly inputs = new Map<string, () => TypedData>();
  #started = false;

  register(metadata: Omit<RegisteredFunction, 'callback'>, callback: Callback): void {
    if (this.#started) throw new Error('A function can only be registered during app startup.');
    if (this.functions.has(metadata.name)) {
      throw new Error(`A function named "${metadata.name}" has already been registered.`);
    }
    this.functions.set(metadata.name, { ...metadata, callback });
  }

  hook(name: HookName, hook: Hook): void {
    this.hooks.set(name, [...(this.hooks.get(name) ?? []), hook]);
  }

  async runHooks(name: HookName, context: unknown): Promise<void> {
    for (const hook of this.hooks.get(name) ?? []) await hook(context);
  }

  async started(directory: string): Promise<void> {
    this.#started = true;
    const { hookData } = this;
    await this.runHooks('appStart', { hookData, appHookData: hookData, functionAppDirectory: directory });
  }

  /** Names and bindings, sorted, in the form that the host indexes. */
  index(): { name: string; bindings: Record<string, Binding> }[] {
    return [...this.functions.values()]
      .map(({ name, bindings }) => ({ name, bindings: structuredClone(bindings) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

const moduleName = '@azure/functions-core';

/** What belongs to the whole process. It hangs at the global object: a test runner may load this very file twice. */
interface Front {
  app: FunctionApp | undefined;
  model: ProgrammingModel | undefined;
}

const slot = Symbol.for('poolwright.functions-core');
const globals = globalThis as { [slot]?: Front };

function front(): Front {
  globals[slot] ??= install();
  return globals[slot];
}

class Disposable {
  readonly dispose: () => void;

  constructor(dispose: () => void) {
    this.dispose = dispose;
  }
}

function install(): Front {
  const state: Front = { app: undefined, model: undefined };
  const starting = (): FunctionApp => {
    if (!state.app) throw new Error('A function can only be registered during app startup: no app is being started.');
    return state.app;
  };
  const core = {
    version: '3.13.0',
    hostVersion: '4.1045.0',
    Disposable,
    setProgrammingModel: (model: ProgrammingModel) => {
      state.model = model;
    },
    getProgrammingModel: () => state.model,
    registerFunction(metadata: Omit<RegisteredFunction, 'callback'>, callback: Callback) {
      const app = starting();
      app.register(metadata, callback);
      return new Disposable(() => app.functions.delete(metadata.name));
    },
    registerHook(name: HookName, hook: Hook) {
      starting().hook(name, hook);
      return new Disposable(() => undefined);
    },
    log: (level: string, category: string, message: string) => {
      state.app?.logged.push({ level, category, message });
    },
  };
  const prototype = Module.prototype as { require: (id: string) => unknown };
  const original = prototype.require;
  prototype.require = function (this: unknown, id: string): unknown {
    return id === moduleName ? core : original.call(this, id);
  };
  return state;
}

/** Puts the core module in place. To be called before anything imports `@azure/functions`. */
export function installFunctionsCore(): void {
  front();
}

/** The model that `@azure/functions` has set; every call of a function goes through it. */
export function programmingModel(): ProgrammingModel {
  const { model } = front();
  if (!model) throw new Error('nothing has loaded @azure/functions, or it was loaded before the core module was there');
  return model;
}

let starts: Promise<unknown> = Promise.resolve();

/** Starts an app: everything that `load` registers belongs to it. Starts wait for each other. */
export function startApp(load: (app: FunctionApp) => void | Promise<void>, directory = '/'): Promise<FunctionApp> {
  const start = async (): Promise<FunctionApp> => {
    const app = new FunctionApp();
    const state = front();
    state.app = app;
    try {
      await load(app);
      await app.started(directory);
      return app;
    } finally {
      state.app = undefined;
    }
  };
  const started = starts.then(start, start);
  starts = started.catch(() => undefined);
  return started;
}
