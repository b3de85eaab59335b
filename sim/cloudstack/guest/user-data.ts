/** User data as the guest gets to see it: decoded, unpacked, its parts and the files that it writes one by one. */
import { gunzipSync } from 'node:zlib';
import { parse } from 'yaml';
import { isObject } from '../../../shared/base/json.ts';

const largestUnpacked = 8 * 1024 * 1024;

/** Undefined where it is not what it claims to be: then the guest does nothing. */
export function decodeUserData(encoded: string): string | undefined {
  return unpack(Buffer.from(encoded, 'base64'));
}

function unpack(bytes: Buffer): string | undefined {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes.toString('utf8');
  try {
    return gunzipSync(bytes, { maxOutputLength: largestUnpacked }).toString('utf8');
  } catch {
    return undefined;
  }
}

/**
 * Every text in it that a program of the guest reads: parts of a MIME message, written files, documents in a shell script. What a
 * shell makes of its variables it does before a document is written, so each part is filled first.
 */
export function textsIn(userData: string, fill: (text: string) => string): string[] {
  const parts = mimeParts(userData).map(fill);
  return parts.flatMap((part) => [part, ...writtenFiles(part), ...heredocs(part)]);
}

function mimeParts(text: string): string[] {
  const [, boundary] = /^content-type:\s*multipart\/[^\n]*boundary="?([^"\n;]+)"?/im.exec(text) ?? [];
  if (boundary === undefined) return [text];
  return text
    .split(`--${boundary}`)
    .slice(1)
    .filter((part) => !part.startsWith('--'))
    .flatMap((part) => {
      const gap = /\r?\n\r?\n/.exec(part);
      if (gap === null) return [];
      const head = part.slice(0, gap.index);
      const body = part.slice(gap.index + gap[0].length);
      if (!/content-transfer-encoding:\s*base64/i.test(head)) return [body];
      return unpack(Buffer.from(body, 'base64')) ?? [];
    });
}

/** `write_files` of a cloud-config, in whatever encoding, and with them the commands that it runs. */
function writtenFiles(text: string): string[] {
  if (!/^(##[^\n]*\n)*#cloud-config/.test(text.trimStart())) return [];
  const config = parseYaml(text);
  const files = isObject(config) && Array.isArray(config.write_files) ? (config.write_files as unknown[]) : [];
  return files.flatMap((file) => {
    if (!isObject(file) || typeof file.content !== 'string') return [];
    const encoding = typeof file.encoding === 'string' ? file.encoding : '';
    if (!/b64|base64/i.test(encoding)) return [file.content, ...heredocs(file.content)];
    return unpack(Buffer.from(file.content, 'base64')) ?? [];
  });
}

const heredocs = (text: string): string[] =>
  [...text.matchAll(/<<-?\s*["']?(\w+)["']?[^\n]*\n([\s\S]*?)\n\s*\1\s*$/gm)].map(([, , body = '']) => body);

export function parseYaml(text: string): unknown {
  try {
    return parse(text, { logLevel: 'silent' });
  } catch {
    return undefined;
  }
}
