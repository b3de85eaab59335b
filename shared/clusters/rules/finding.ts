/** One thing that is wrong with a request, or that its author should know. */
import type { ErrorCode } from '../../observe/errors/catalog.ts';

export interface Finding {
  severity: 'error' | 'warning';
  /** Like `spec.network.policy`. */
  field: string;
  /** Its entry in the catalog of errors. */
  code: ErrorCode;
  cause: string;
  fix: string;
}

export type Report = (
  severity: Finding['severity'],
  code: ErrorCode,
  field: string,
  cause: string,
  fix: string,
) => void;

export const isError = ({ severity }: Finding): boolean => severity === 'error';
