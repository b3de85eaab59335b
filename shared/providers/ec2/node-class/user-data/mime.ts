/**
 * User data in several parts (MIME multipart). Cloud-init and nodeadm read each part by its type: so what the user wrote
 * stays as it is, and ours stands beside it.
 */
export interface MimePart {
  contentType: string;
  /** The other headers, whole lines: `Merge-Type` says how cloud-init merges the part with others. */
  headers?: readonly string[];
  body: string;
}

export const shellScript = 'text/x-shellscript; charset="us-ascii"';
export const cloudConfig = 'text/cloud-config; charset="us-ascii"';
export const nodeConfig = 'application/node.eks.aws';

/** What a text by itself is to cloud-init: its own settings, or a script. */
export const scriptOrSettings = (text: string): string =>
  text.trimStart().startsWith('#cloud-config') ? cloudConfig : shellScript;

/** The parts of what a user wrote: those of a multipart text, or the one that it is itself. */
export function partsOf(text: string, guess: (text: string) => string): MimePart[] {
  const unix = text.replaceAll('\r\n', '\n');
  if (unix.trim() === '') return [];
  const boundary = boundaryOf(unix);
  if (boundary === undefined) return [{ contentType: guess(unix), body: unix }];
  return splitParts(unix, boundary).flatMap(readPart);
}

/**
 * Why a text that is meant to be MIME has no parts to read; undefined where it is none, or fine. As a script it would fail on
 * the machine, where nobody looks. Nothing of it is repeated: it may hold secrets.
 */
export function mimeProblem(text: string): string | undefined {
  const unix = text.replaceAll('\r\n', '\n');
  if (!/^\s*(mime-version|content-type):/i.test(unix)) return undefined;
  const boundary = boundaryOf(unix);
  if (boundary === undefined) {
    return 'it starts like MIME, but its headers have no Content-Type: multipart/mixed; boundary="…"; add it, or leave the headers out';
  }
  if (splitParts(unix, boundary).flatMap(readPart).length > 0) return undefined;
  return 'it is MIME without any part; each begins with a line of -- and the boundary, its headers and an empty line';
}

/** The headers end with the first empty line; a boundary may stand in quotes. */
function boundaryOf(text: string): string | undefined {
  const head = text.trimStart().split('\n\n', 1)[0] ?? '';
  const unfolded = head.replaceAll(/\n[ \t]+/g, ' ');
  const type = /^content-type:\s*multipart\/[^\n]*$/im.exec(unfolded)?.[0];
  const found = type === undefined ? null : /boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(type);
  return found?.[1] ?? found?.[2];
}

function splitParts(text: string, boundary: string): string[] {
  const parts: string[] = [];
  let current: string[] | undefined;
  for (const line of text.split('\n')) {
    const end = line.trimEnd();
    if (end === `--${boundary}` || end === `--${boundary}--`) {
      if (current !== undefined) parts.push(current.join('\n'));
      if (end.endsWith('--') && end !== `--${boundary}`) return parts;
      current = [];
    } else current?.push(line);
  }
  // Without its closing line the last part is taken as it stands, as cloud-init does.
  if (current !== undefined) parts.push(current.join('\n'));
  return parts;
}

function readPart(text: string): MimePart[] {
  const split = text.startsWith('\n') ? 0 : text.indexOf('\n\n');
  const head = split <= 0 ? '' : text.slice(0, split).replaceAll(/\n[ \t]+/g, ' ');
  const body = text.slice(split < 0 ? text.length : split === 0 ? 1 : split + 2);
  if (body.trim() === '') return [];
  const contentType = /^content-type:\s*(.*)$/im.exec(head)?.[1]?.trim() ?? 'text/plain';
  const encoding = /^content-transfer-encoding:\s*(\S+)/im.exec(head)?.[1]?.toLowerCase();
  const decoded = encoding === 'base64' ? Buffer.from(body, 'base64').toString('utf8') : body;
  const headers = head.split('\n').filter((line) => line.includes(':') && !isOurs(line));
  return [{ contentType, ...(headers.length === 0 ? {} : { headers }), body: decoded }];
}

/** Headers that are written anew. How a text is coded that we can't decode is left to whoever can. */
const isOurs = (line: string): boolean =>
  /^(content-type|mime-version|content-length):/i.test(line) ||
  /^content-transfer-encoding:\s*(base64|7bit|8bit|binary)\b/i.test(line);

/** @returns One multipart text. Its boundary is in none of the parts, and always the same for the same parts. */
export function joinParts(parts: readonly MimePart[]): string {
  const boundary = freeBoundary(parts);
  const lines = ['MIME-Version: 1.0', `Content-Type: multipart/mixed; boundary="${boundary}"`, ''];
  for (const { contentType, headers = [], body } of parts) {
    lines.push(`--${boundary}`, `Content-Type: ${contentType}`, ...headers, ...coded(contentType, body), '');
  }
  return `${[...lines, `--${boundary}--`].join('\n')}\n`;
}

/**
 * Cloud-init reads parts as ASCII, and garbles all else unless it is coded. Nodeadm, which alone reads NodeConfigs, decodes
 * nothing and takes UTF-8 as it is.
 */
function coded(contentType: string, body: string): string[] {
  if (contentType.startsWith(nodeConfig) || isAscii(body)) return ['', body.replace(/\n$/, '')];
  const lines =
    Buffer.from(body)
      .toString('base64')
      .match(/.{1,76}/g) ?? [];
  return ['Content-Transfer-Encoding: base64', '', ...lines];
}

const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;

function freeBoundary(parts: readonly MimePart[]): string {
  const taken = (boundary: string): boolean =>
    parts.some(({ body }) => body.split('\n').some((line) => line.startsWith(`--${boundary}`)));
  let boundary = '//';
  for (let count = 1; taken(boundary); count++) boundary = `//${count}`;
  return boundary;
}
