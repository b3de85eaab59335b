/** The types of an SDK's commands, by the names that AWS gives its actions. Types only: nothing of an SDK is loaded by this. */
import type { Handler } from '@smithy/types';

type Made<Class> = Class extends new (...args: never[]) => infer Command ? Command : never;
type InputOf<Command> = Command extends { readonly input: infer Input extends object } ? Input : never;
type OutputOf<Command> = Command extends {
  resolveMiddleware(...args: never[]): Handler<never, infer Output extends object>;
}
  ? Output
  : never;

export interface Exchange {
  input: object;
  output: object;
}

/** What goes out and what comes back, for each of these actions. */
export type ExchangesOf<Sdk, Action extends string> = {
  [A in Action]: Sdk extends { [K in `${A}Command`]: infer Class }
    ? { input: InputOf<Made<Class>>; output: OutputOf<Made<Class>> }
    : never;
};

/** One function per action. */
export type SendersOf<Exchanges extends Record<keyof Exchanges, Exchange>> = {
  [A in keyof Exchanges]: (
    input: Exchanges[A]['input'],
    options: { abortSignal: AbortSignal },
  ) => Promise<Exchanges[A]['output']>;
};

/** A client that was loaded and made. */
export interface OpenClient<Exchanges extends Record<keyof Exchanges, Exchange>> {
  senders: SendersOf<Exchanges>;
  /** Fetches the credentials, so that a failure of theirs is told apart from one of the request. */
  prepare(): Promise<unknown>;
  close(): void;
}
