/**
 * What a cluster of EKS does with a token before it asks STS, after the documented behavior of aws-iam-authenticator, and what
 * STS does with the signature. Written apart from the signer, so that both have to be right.
 */
import { createHash, createHmac } from 'node:crypto';

export interface Expected {
  cluster: string;
  /** @example sts.eu-west-1.amazonaws.com */
  host: string;
  secretAccessKey: string;
  /** The time of the cluster, in milliseconds. */
  now: number;
}

const allowed = new Set([
  'action',
  'version',
  'x-amz-algorithm',
  'x-amz-credential',
  'x-amz-date',
  'x-amz-expires',
  'x-amz-security-token',
  'x-amz-signature',
  'x-amz-signedheaders',
  'x-amz-user-agent',
]);
const acceptedForMs = 15 * 60_000;
const longestToken = 4096;

/** The request that the cluster sends to STS. */
export const requestIn = (token: string): URL =>
  new URL(Buffer.from(token.slice('k8s-aws-v1.'.length), 'base64url').toString());

/** What is wrong with the token; undefined when it opens the cluster. */
export function problemWith(token: string, { cluster, host, secretAccessKey, now }: Expected): string | undefined {
  if (token.length > longestToken) return 'token is too large';
  if (!token.startsWith('k8s-aws-v1.')) return 'token is missing expected "k8s-aws-v1." prefix';
  if (/[^\w-]/.test(token.slice('k8s-aws-v1.'.length))) return 'token is no base64 for URLs without padding';
  const url = requestIn(token);
  if (url.protocol !== 'https:') return `unexpected scheme "${url.protocol}" in pre-signed URL`;
  if (url.host !== host) return `unexpected hostname "${url.host}" in pre-signed URL`;
  if (url.pathname !== '/') return 'unexpected path in pre-signed URL';
  const query = new Map<string, string>();
  for (const [name, value] of url.searchParams) {
    if (!allowed.has(name.toLowerCase())) return `non-whitelisted query parameter "${name}"`;
    if (query.has(name.toLowerCase())) return `input token "${name}" is there twice`;
    query.set(name.toLowerCase(), value);
  }
  if (query.get('action') !== 'GetCallerIdentity') return 'unexpected action parameter in pre-signed URL';
  const headers = (query.get('x-amz-signedheaders') ?? '').split(';');
  if (!headers.includes('x-k8s-aws-id')) return 'client did not sign the x-k8s-aws-id header in the pre-signed URL';
  const expires = Number(query.get('x-amz-expires'));
  if (!(expires >= 0 && expires <= 900)) return 'invalid X-Amz-Expires parameter in pre-signed URL';
  const signedAt = dateIn(query.get('x-amz-date') ?? '');
  if (now > signedAt + acceptedForMs) return 'X-Amz-Date parameter is expired';
  if (signatureOf(url, { host: url.host, 'x-k8s-aws-id': cluster }, secretAccessKey) !== query.get('x-amz-signature')) {
    return 'SignatureDoesNotMatch';
  }
  return undefined;
}

function dateIn(text: string): number {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text) ?? [];
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts.map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** Version 4 of AWS's signatures, for a request without a body whose signature is in its query. */
function signatureOf(url: URL, headers: Record<string, string>, secret: string): string {
  const encode = (text: string): string =>
    encodeURIComponent(text).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
  const names = Object.keys(headers).sort();
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
  const canonical = [
    'GET',
    url.pathname,
    query,
    ...names.map((name) => `${name}:${headers[name]}`),
    '',
    names.join(';'),
    hash(''),
  ].join('\n');
  const [, ...scope] = (url.searchParams.get('X-Amz-Credential') ?? '').split('/');
  const toSign = ['AWS4-HMAC-SHA256', url.searchParams.get('X-Amz-Date'), scope.join('/'), hash(canonical)].join('\n');
  const key = scope.reduce(
    (last: string | Buffer, part) => createHmac('sha256', last).update(part).digest(),
    `AWS4${secret}`,
  );
  return createHmac('sha256', key).update(toSign).digest('hex');
}
