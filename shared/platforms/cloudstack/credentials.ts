/** Who we are at CloudStack, and where that is. */
import type { Result } from '../../base/result.ts';

export interface CloudStackCredentials {
  /** `https://cloud.example/client/api` */
  apiUrl: string;
  apiKey: string;
  secretKey: string;
}

/** Credentials may change while we run: a Secret is rotated. */
export interface CredentialSource {
  /** @param refused CloudStack does not accept these, so what is kept must not come out of the memory. */
  get(signal: AbortSignal, refused?: CloudStackCredentials): Promise<Result<CloudStackCredentials>>;
}
