import type { HostAddress } from '../../reach/host-api.ts';
import type { Consent } from '../../terminal/confirm.ts';
import type { DocumentFormat } from '../../terminal/output/document.ts';

/** Of every command that changes dead letters. */
export interface ChangeOptions extends HostAddress, Consent {
  all?: boolean;
  output: DocumentFormat;
}
