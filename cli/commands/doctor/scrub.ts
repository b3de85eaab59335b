/**
 * Takes secrets out of whatever goes into an archive for others: by the name of a field, by the look of a text, and by knowing them.
 * It rather takes too much: what is missing can be asked for, what was sent cannot be taken back.
 */
import { redactSecrets } from '../../../shared/base/secrets/known-secrets.ts';
import { isSecretKey } from '../../../shared/observe/log/redact.ts';

const hidden = '[redacted]';

/** Fields that repeat the rest of an object, or are of no use to anybody. */
const dropped = new Set(['managedFields', 'kubectl.kubernetes.io/last-applied-configuration']);
/** They name a file, a variable or an object that holds a secret. */
const pointer = /(file|files|variable|name|ref)$/i;
/** Certificates and keys, in base64 or as they are. */
const keyMaterial = /-data$|^(caBundle|clusterCA|certificateAuthority|clientCertificate)$/i;

const looks: readonly [RegExp, string][] = [
  [/-----BEGIN [A-Z ]+-----[\s\S]*?(-----END [A-Z ]+-----|$)/g, hidden],
  [/\b(bearer|basic|digest|negotiate)\s+[\w.~+/=-]{6,}/gi, `$1 ${hidden}`],
  // A JSON Web Token, wherever it stands.
  [/\beyJ[\w-]{5,}\.[\w-]{5,}(\.[\w-]*)?/g, hidden],
  // Keys that clouds and forges begin alike.
  [/\b(AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,}\b/g, hidden],
  [/\b(gh[pousr]_|github_pat_|glpat-|xox[abprs]-|sk-)[\w-]{10,}/g, hidden],
  // A user and a password, or a password alone, in a URL.
  [/(\w:\/\/)[^\s/@"']+@/g, `$1${hidden}@`],
  // The key of a cluster in the path of its webhook.
  [/(\/v1\/webhook\/[^\s/"']+\/)[^\s/"'?]+/g, `$1${hidden}`],
  // name=value and name: value, also within JSON that stands in a text.
  [
    /([\w.-]*(?:passw(?:or)?d|passphrase|secret|token|credential|api[_-]?key|access[_-]?key|account[_-]?key|private[_-]?key|signature|authorization|cookie|connection[_-]?string)[\w.-]*["']?\s*[=:]\s*["']?)(?!\[redacted\]|bearer |basic )[^\s"',;&}]{3,}/gi,
    `$1${hidden}`,
  ],
  // An option of some command, with its value as the next word.
  [
    /(--?(?:[\w-]+-)?(?:passw(?:or)?d|passphrase|secret|token|credential|api-?key|access-?key|account-?key|private-?key)\s+["']?)(?!-|\[redacted\])[^\s"',;]{3,}/gi,
    `$1${hidden}`,
  ],
  [/([?&;](?:sig|sv|se|code|key)=)[^\s"'&;]+/gi, `$1${hidden}`],
];

export interface Scrubber {
  text(text: string): string;
  /** A copy; strings that are JSON are looked into. */
  value(value: unknown): unknown;
}

/** @param known Secrets that this command has seen: they are taken out wherever they stand. */
export function createScrubber(known: readonly string[]): Scrubber {
  // The longest first: a part of one must not leave the rest behind.
  const exact = [...new Set(known.filter((one) => one.length >= 6))].sort((one, other) => other.length - one.length);
  const forms = exact.flatMap((one) => [one, Buffer.from(one).toString('base64'), encodeURIComponent(one)]);

  const text = (input: string): string => {
    let output = redactSecrets(input);
    for (const one of forms) output = output.replaceAll(one, hidden);
    for (const [pattern, instead] of looks) output = output.replace(pattern, instead);
    return output;
  };

  const value = (input: unknown, key = '', depth = 0): unknown => {
    if (typeof input === 'string') {
      if (input !== '' && (isSecret(key) || keyMaterial.test(key))) return hidden;
      const inner = depth < 20 ? jsonIn(input) : undefined;
      return inner === undefined ? text(input) : JSON.stringify(value(inner, key, depth + 1));
    }
    if (Array.isArray(input)) return input.map((item) => value(item, key, depth + 1));
    if (typeof input !== 'object' || input === null) return isSecret(key) && input !== null ? hidden : input;
    if (depth > 60) return '[too deep]';
    // `{name: PASSWORD, value: …}`, as the environment of a container is written.
    const named = 'name' in input && typeof input.name === 'string' && isSecret(input.name);
    return Object.fromEntries(
      Object.entries(input)
        .filter(([name]) => !dropped.has(name))
        .map(([name, item]: [string, unknown]) => [
          text(name),
          named && name === 'value' ? hidden : value(item, name, depth + 1),
        ]),
    );
  };
  return { text, value: (input) => value(input) };
}

const isSecret = (key: string): boolean => isSecretKey(key) && !pointer.test(key);

function jsonIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
