/** What a code of Azure or of its operator means for a request: what is wrong, and what to do. */
import type { ErrorCode } from '../../observe/errors/catalog.ts';

export interface AzureVerdict {
  /** Its entry in the catalog of errors. */
  code: ErrorCode;
  cause: string;
  fix: string;
}

/** What came from the operator's Ready condition, or from Azure itself. */
export interface AzureSignal {
  /** The reason of the condition, or the code of the error. */
  reason: string;
  /** Azure's own words. */
  message: string;
  /** Status of the answer, where it is known. */
  status?: number;
}

/** What the sentences are about. */
export interface AzureSubject {
  /** Such as `ManagedCluster web`. */
  what: string;
  location: string;
  namespace: string;
}
