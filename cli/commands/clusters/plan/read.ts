/** Requests in files: objects of the kind, or flat parameters. What can't be read becomes a finding, and the others continue. */
import { readFileSync } from 'node:fs';
import { text as wholeText } from 'node:stream/consumers';
import type { Problem } from '../../../../shared/base/problems.ts';
import { looksLikeParameters, requestFromParameters } from '../../../../shared/clusters/request/parameters.ts';
import { UserError } from '../../../terminal/user-error.ts';
import { type Manifest, parseManifests } from '../../plan/manifests.ts';

export interface ReadRequest {
  manifest: Manifest;
  /** What is planned: the object itself, or the request that parameters amount to. */
  object: unknown;
  /** Of parameters. */
  problems: readonly Problem[];
  fromParameters: boolean;
}

export interface ReadFiles {
  requests: readonly ReadRequest[];
  /** Of documents that are no objects at all, with file and line. */
  unreadable: readonly string[];
  /** Objects of other kinds. */
  others: readonly Manifest[];
}

export async function readRequests(
  files: readonly string[],
  namespace: string,
  stdin: () => Promise<string> = () => wholeText(process.stdin),
): Promise<ReadFiles> {
  const requests: ReadRequest[] = [];
  const unreadable: string[] = [];
  const others: Manifest[] = [];
  for (const file of files) {
    const text = file === '-' ? await stdin() : readText(file);
    const read = parseManifests(file === '-' ? 'stdin' : file, text);
    unreadable.push(...read.problems);
    for (const manifest of read.manifests) {
      const { object } = manifest;
      if (looksLikeParameters(object)) {
        const made = requestFromParameters(object, namespace);
        requests.push({
          manifest,
          object: made.ok ? made.value : undefined,
          problems: made.ok ? [] : made.problems,
          fromParameters: true,
        });
      } else if (isRequest(object)) {
        requests.push({ manifest, object: inNamespace(object, namespace), problems: [], fromParameters: false });
      } else others.push(manifest);
    }
  }
  return { requests, unreadable, others };
}

export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new UserError(`${file}: the file cannot be read (${code}).`, { code: 'FileUnreadable' });
  }
}

/** Also where version or kind are misspelled: the check says what was meant. */
const isRequest = ({ apiVersion, kind }: { [field: string]: unknown }): boolean =>
  (typeof kind === 'string' && /^cluster-?requests?$/i.test(kind)) ||
  (typeof apiVersion === 'string' && apiVersion.startsWith('poolwright.dev/') && kind === undefined);

function inNamespace(object: { [field: string]: unknown }, namespace: string): unknown {
  const { metadata } = object;
  if (typeof metadata !== 'object' || metadata === null || 'namespace' in metadata) return object;
  return { ...object, metadata: { ...metadata, namespace } };
}
