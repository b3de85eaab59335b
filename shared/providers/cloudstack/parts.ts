/** What the two halves of the provider share: what is sold here, and the machines that are made of it. */
import type { Json } from '../../base/json.ts';
import type { Result } from '../../base/result.ts';
import type { CloudStackClient } from '../../platforms/cloudstack/client.ts';
import type { ProviderContext } from '../context.ts';
import type { Provider } from '../contract.ts';
import type { CloudStackCatalog } from './catalog/catalog.ts';
import type { CloudStackNodeClasses } from './node-class/resolve.ts';
import type { CloudStackOptions } from './options.ts';
import type { Inventory } from './site/inventory.ts';
import type { ScopeParams } from './site/scope.ts';

export interface CloudStackParts {
  options: CloudStackOptions;
  context: ProviderContext;
  client: CloudStackClient;
  classes: CloudStackNodeClasses;
  catalog: CloudStackCatalog;
  inventory: Inventory;
  /** Account, domain or project, for lists and for a deploy. */
  scope(signal: AbortSignal): Promise<Result<ScopeParams>>;
  /** The server, the account there, and for whom machines are made. */
  place(signal: AbortSignal): Promise<Result<string>>;
  /** A name for the server and the account, for what is kept in state: `cloudstack/<account>`. */
  stateScope: string;
  tuning: CloudStackTuning;
}

/** What tests set: nobody waits for a window, and pages are small. */
export interface CloudStackTuning {
  windowMs?: number;
  pageSize?: number;
  patienceMs?: number;
  onCall?(command: string): void;
}

/** The half that makes, finds and ends machines. */
export type InstanceSide = Pick<
  Provider,
  'beginCreate' | 'pollCreate' | 'beginDelete' | 'pollDelete' | 'find' | 'get' | 'list'
> &
  Required<Pick<Provider, 'adopt' | 'tidy'>> & { close?(): void };

export type ClassRef = { name: string; spec: Json };
