/** How the stand-in for Azure behaves when nothing goes wrong. Seconds may be fractions. */
import { type MachineSettings, managedMachines } from '../cloud/settings.ts';

export interface AzureSettings extends MachineSettings {
  /** From the PUT to the end of its operation. */
  createSeconds: number;
  updateSeconds: number;
  deleteSeconds: number;
  /** A pool's machines run so long before its operation is over. */
  machineLeadSeconds: number;
  /** In the answers to writes and polls; null leaves the header out. Fractions go into `x-ms-retry-after-ms`. */
  retryAfterSeconds: number | null;
  /** For so long an operation can be asked about after its end. */
  operationKeptSeconds: number;
  tokenSeconds: number;
  /** Pools, sizes and prices per page. */
  pageSize: number;
  /** A pool that is asked to go while its create runs: the create is cancelled, or the delete is refused. */
  deleteDuringCreate: 'cancels' | 'conflicts';
  /** A second delete of a pool: taken as if it were the first, or refused. */
  deleteDuringDelete: 'accepted' | 'conflicts';
  deleteOfNone: 204 | 404;
  /** The resource provider of AKS leaves out the `error` around its errors; ARM itself never does. */
  aksErrors: 'bare' | 'wrapped';
  /** An operation's error is the reason itself, or has it in `details` and in the text, under a code of AKS. */
  operationErrors: 'plain' | 'nested';
  /** When a pool hears that there is no machine for it: with the PUT, or at the end of the operation. */
  soldOutAt: 'put' | 'operation';
  quotaAt: 'put' | 'operation';
  /** In whose words a used-up quota is told. */
  quotaWords: 'compute' | 'aks';
  /** Most cores per family as in the usages, and of all (`cores`) and of spot (`lowPriorityCores`). */
  quota: Readonly<Record<string, number>>;
}

export const defaultSettings: AzureSettings = {
  createSeconds: 2,
  updateSeconds: 1,
  deleteSeconds: 1,
  machineLeadSeconds: 0,
  retryAfterSeconds: 1,
  operationKeptSeconds: 3600,
  tokenSeconds: 3599,
  pageSize: 100,
  deleteDuringCreate: 'cancels',
  deleteDuringDelete: 'accepted',
  deleteOfNone: 204,
  aksErrors: 'bare',
  operationErrors: 'plain',
  soldOutAt: 'put',
  quotaAt: 'put',
  quotaWords: 'compute',
  quota: {},
  ...managedMachines,
};
