/** The part of the library that turns a generator into a function. Its entry would load an HTTP client and more with it. */
declare module 'durable-functions/lib/src/orchestrations/Orchestrator.js' {
  import type { OrchestrationHandler } from 'durable-functions';

  export class Orchestrator {
    constructor(handler: OrchestrationHandler);
    /** What a function with an orchestration trigger does. */
    listen(): (trigger: unknown, context: unknown) => Promise<unknown>;
  }
}
