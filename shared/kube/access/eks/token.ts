/**
 * The token with which EKS knows who calls: a signed request to STS ("who am I?") that only the cluster sends. The name of the
 * cluster is part of what is signed, so a token opens one cluster alone.
 */
import { SignatureV4 } from '@smithy/signature-v4';
import type { AwsCredentialIdentity, AwsCredentialIdentityProvider } from '@smithy/types';
import { Sha256 } from '../../../platforms/aws/sha256.ts';

export interface EksTokenRequest {
  cluster: string;
  region: string;
  credentials: AwsCredentialIdentity | AwsCredentialIdentityProvider;
  /** In milliseconds. */
  now: number;
  /** Where STS is instead of at AWS. */
  stsEndpoint?: string;
}

const prefix = 'k8s-aws-v1.';
const clusterHeader = 'x-k8s-aws-id';
/** What AWS's own clients write into the URL. Clusters go by the time of the signature, and accept it for 15 minutes. */
const urlSeconds = 60;

export async function eksToken(request: EksTokenRequest): Promise<string> {
  const { cluster, region, credentials, now, stsEndpoint } = request;
  const { protocol, hostname, port } = new URL(stsEndpoint ?? `https://${stsHost(region)}`);
  const signer = new SignatureV4({ service: 'sts', region, credentials, sha256: Sha256, applyChecksum: false });
  const signed = await signer.presign(
    {
      method: 'GET',
      protocol,
      hostname,
      ...(port === '' ? {} : { port: Number(port) }),
      path: '/',
      query: { Action: 'GetCallerIdentity', Version: '2011-06-15' },
      headers: { host: port === '' ? hostname : `${hostname}:${port}`, [clusterHeader]: cluster },
    },
    { expiresIn: urlSeconds, signingDate: new Date(now) },
  );
  const query = Object.entries(signed.query ?? {})
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
    .join('&');
  const url = `${protocol}//${hostname}${port === '' ? '' : `:${port}`}/?${query}`;
  return prefix + Buffer.from(url).toString('base64url');
}

/** The regional one: it works without a way to another region, and clusters accept it. */
const stsHost = (region: string): string => `sts.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
