/**
 * What a provider brings along to be held against the contract: the provider itself, and a hand on the cloud, or on its
 * stand-in, behind it. What a stand-in can't do is not in `injections`; the cases that need it are then shown as skipped.
 */

import type { Json } from '../../../shared/base/json.ts';
import type { OfferingRef } from '../../../shared/nodes/claims/choice/offerings.ts';
import type { Provider, ProviderTraits } from '../../../shared/providers/contract.ts';

/** Each strikes once, at the next matching call, unless it says otherwise. */
export type Injection =
  /** It is done, and then the connection breaks. */
  | { do: 'lose-answer'; on: 'create' | 'delete' }
  /** The connection breaks, and nothing is done. */
  | { do: 'lose-request'; on: 'create' | 'delete' | 'get' | 'list' }
  /** The connection breaks, and it is done so many seconds later. */
  | { do: 'late-effect'; on: 'create'; seconds: number }
  /** No answer ever comes; `untilHeld` tells when the request has arrived. */
  | { do: 'hold'; on: 'create' | 'get' }
  /** From now on, lists show the world as it was so many seconds ago. */
  | { do: 'lag'; seconds: number }
  | { do: 'throttle'; on: 'create' | 'get'; retryAfterSeconds?: number }
  | { do: 'conflict'; on: 'create' | 'delete' }
  | { do: 'sold-out' }
  | { do: 'quota' }
  | { do: 'unauthorised'; on: 'create' | 'get' | 'list' }
  | { do: 'server-error'; on: 'create' | 'get' | 'delete' }
  /** A 5xx of a cloud that can say that nothing was done, and be believed. */
  | { do: 'harmless-server-error'; on: 'create' }
  /** A success whose body nobody understands. */
  | { do: 'garble'; on: 'create' | 'get' }
  /** From now on, the list of types shows the harness's offering as sold out. */
  | { do: 'list-sold-out' }
  /** Nobody listens any more. */
  | { do: 'shut-down' };

export type InjectionKind = Injection['do'];

export interface ProviderHarness {
  /** With pages of two. */
  provider: Provider;
  /** As in another process: it shares nothing with the first but the cloud. */
  anotherProvider(): Provider;
  nodeClass: { name: string; spec: Json };
  /** A spec that must be refused, and the name of the field that the message must have. */
  wrongNodeClass: { spec: Json; field: string };
  offering: OfferingRef;
  /** What may never be said. */
  secrets?: readonly string[];
  /** Lets time pass at the cloud. Never sleeps. */
  advance(seconds: number): Promise<void>;
  /** Makes something of that name that belongs to somebody else; returns its id. */
  makeForeign(name: string): Promise<string>;
  /** The ids of everything that is alive at the cloud now, asked in a way that never lags. */
  living(): Promise<string[]>;
  inject(injection: Injection): Promise<void>;
  untilHeld(): Promise<void>;
  close(): Promise<void>;
}

export interface ProviderUnderTest {
  idempotency: ProviderTraits['idempotency'];
  injections: readonly InjectionKind[];
  /** False where the cloud refuses what comes too quickly without ever saying when to come again. */
  tellsPauses?: boolean;
  /** Cases that this stand-in can't show, by their titles, each with the reason. */
  excluded?: Readonly<Record<string, string>>;
  /** Creates and deletes take some time here, so that there is something to poll. */
  start(): Promise<ProviderHarness>;
}
