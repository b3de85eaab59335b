/** What a kind of `get` is given, and what it must be able to do. */
import type { ClusterChoice } from '../../reach/cluster-access.ts';
import type { HostAddress } from '../../reach/host-api.ts';
import type { Format, Listing } from '../../terminal/output/formats.ts';
import type { Terminal } from '../../terminal/terminal.ts';

export interface GetOptions extends HostAddress, ClusterChoice {
  /** Both need it, so it is always there. */
  dataDir: string;
  output: Format;
  watch?: boolean;
  /** Labels, as kubectl has them in -l. */
  selector?: string;
  /** By the name that the host knows it by. */
  cluster?: string;
  provider?: string;
  /** `<Kind>/<name>`. */
  nodeClass?: string;
  status?: string;
}

export interface Getting {
  options: GetOptions;
  /** Only these; all when there is none. */
  names: readonly string[];
  /** For node classes: only those of this kind. */
  of?: string;
  terminal: Terminal;
}

/**
 * A kind that is asked of the host is a function that answers a listing of everything; `get` keeps the rows that were named, prints
 * them, and with -w asks again every few seconds.
 */
export type LoadListing<Row> = (getting: Getting) => Promise<Listing<Row>>;

export type UnknownRow =
  | 'UnknownOffering'
  | 'UnknownProvider'
  | 'UnknownWorkflow'
  | 'UnknownDeadLetter'
  | 'UnknownNodeClass'
  | 'UnknownVM'
  | 'UnknownVMProvider';
