/** Looks at certificates before they are used, so that a bad one is named at the start and not as a riddle of the TLS library. */
import type { X509Certificate } from 'node:crypto';
import { nodeCrypto } from '../../base/node-modules.ts';
import type { Clock } from '../../base/runtime.ts';

export interface CertificateProblem {
  text: string;
  /** It was good once, or will be: who renews certificates may mend it while we run. */
  passing: boolean;
}

const wrong = (text: string): CertificateProblem => ({ text, passing: false });
const passing = (text: string): CertificateProblem => ({ text, passing: true });

/** Why a client certificate and its key can't be used now, or undefined. */
export function clientCertificateProblem(cert: string, key: string, clock: Clock): CertificateProblem | undefined {
  const parsed = parseAll(cert)?.[0];
  if (parsed === undefined) return wrong('the client certificate is not a PEM certificate');
  const about = `the client certificate of ${nameOf(parsed)}`;
  const { validFromDate, validToDate } = parsed;
  if (validToDate.getTime() <= clock.now()) {
    return passing(`${about} expired on ${day(validToDate)}; get a new one`);
  }
  if (validFromDate.getTime() > clock.now()) {
    return passing(`${about} is not valid before ${day(validFromDate)}; check the clock of this machine`);
  }
  try {
    const fits = parsed.checkPrivateKey(nodeCrypto().createPrivateKey(key));
    return fits ? undefined : wrong(`${about} does not match its key`);
  } catch {
    return wrong('the client key is not a PEM key');
  }
}

/** Why certificates of authorities can't be used now, or undefined. One that is valid is enough. */
export function authorityProblem(ca: string, clock: Clock): CertificateProblem | undefined {
  const all = parseAll(ca);
  if (all === undefined || all.length === 0) return wrong('the certificate authority is not a PEM certificate');
  const [first] = all.map(({ validToDate }) => validToDate).sort((a, b) => b.getTime() - a.getTime());
  if (first === undefined || first.getTime() > clock.now()) return undefined;
  return passing(`the certificate authority expired on ${day(first)}; get a new one`);
}

/** What the TLS library's code means for somebody who has to mend it; undefined for codes about something else. */
export function tlsAdvice(code: string | undefined): string | undefined {
  switch (code) {
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'CERT_SIGNATURE_FAILURE':
    case 'CERT_UNTRUSTED':
      return "the server's certificate was not issued by the configured certificate authority; check the certificate authority and the URL";
    case 'CERT_HAS_EXPIRED':
      return "the server's certificate, or the authority's, has expired";
    case 'CERT_NOT_YET_VALID':
      return "the server's certificate is not valid yet; check the clock of this machine";
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return "the server's certificate is for another name; use a URL with that name, or set tlsServerName (tls-server-name in a kubeconfig)";
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'EPROTO':
      return 'the server does not use TLS at this address; check the scheme (https://) and the port';
    default:
      return undefined;
  }
}

function parseAll(pem: string): X509Certificate[] | undefined {
  try {
    const parts =
      pem.match(/-----BEGIN (?:TRUSTED )?CERTIFICATE-----[\s\S]+?-----END (?:TRUSTED )?CERTIFICATE-----/g) ?? [];
    return parts.map((part) => new (nodeCrypto().X509Certificate)(part));
  } catch {
    return undefined;
  }
}

function nameOf(certificate: X509Certificate): string {
  return certificate.subject.replaceAll('\n', ', ') || 'nobody';
}

function day(date: Date): string {
  return date.toISOString().replace('T', ' ').slice(0, 16).concat(' UTC');
}
