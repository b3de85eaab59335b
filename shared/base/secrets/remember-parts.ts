/** Secrets that stand within something larger: a key in PEM, a URL with a user, the string of a connection, a list of headers. */
import { rememberSecret } from './known-secrets.ts';

/** A line of a key in PEM is long; what is shorter holds nothing of it that helps anybody. */
const shortestKeyLine = 20;

/** @param pem May hold certificates too, which are no secrets. */
export function rememberPrivateKey(pem: string | undefined): void {
  for (const [key] of pem?.matchAll(/-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]+/g) ?? []) {
    for (const line of key.split('\n').slice(1)) if (line.trim().length >= shortestKeyLine) rememberSecret(line);
  }
}

/** User and password, as they are written, as they are meant, and as they are sent. */
export function rememberUrl(url: URL | undefined): void {
  if (url === undefined || url.password === '') return;
  const { username, password } = url;
  rememberSecret(password);
  rememberSecret(decoded(password));
  rememberSecret(`${decoded(username)}:${decoded(password)}`);
}

/** `Endpoint=…;SharedAccessKey=…`: the keys and signatures in it, and the string as a whole. */
export function rememberConnectionString(text: string | undefined): void {
  rememberSecret(text);
  for (const [, value] of text?.matchAll(/(?:^|;)\s*(?:\w*Key|SharedAccessSignature|Password|Pwd)\s*=([^;]+)/gi) ??
    []) {
    rememberSecret(value);
  }
}

/** @param value Of a header: `Bearer x`, `Basic y`. A signature is no such secret: it is good for one request. */
export function rememberHeader(value: string | undefined): void {
  rememberSecret(/^(?:bearer|basic|api-?key|token|key)\s+(.+)$/i.exec(value ?? '')?.[1]);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
