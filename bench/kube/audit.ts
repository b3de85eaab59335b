/** Who asked the API server for what, from its audit log. */
import { readFileSync, statSync } from 'node:fs';

export interface Asked {
  /** `PATCH nodeclaims/status`, `POST events`, … without reads and watches. */
  writes: Record<string, number>;
  reads: Record<string, number>;
  /** Writes that met somebody else's: a version or uid that has changed, a name that is taken, a JSON patch whose test fails. */
  conflicts: number;
}

interface AuditLine {
  userAgent?: string;
  verb: string;
  objectRef?: { resource?: string; subresource?: string };
  responseStatus?: { code?: number };
}

const readVerbs = new Set(['get', 'list']);

const isConflict = ({ verb, responseStatus }: AuditLine): boolean =>
  responseStatus?.code === 409 || (verb === 'patch' && responseStatus?.code === 422);

/** Where the log ends now: what is asked from here on is counted. */
export const auditMark = (file: string): number => statSync(file).size;

/** Requests by clients whose user agent begins so. Leases are what keeps a deployment alive, not what a claim costs. */
export function askedSince(file: string, mark: number, agent: string): Asked {
  const asked: Asked = { writes: {}, reads: {}, conflicts: 0 };
  const text = readFileSync(file).subarray(mark).toString('utf8');
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const entry = JSON.parse(line) as AuditLine;
    const { userAgent, verb, objectRef } = entry;
    if (!userAgent?.startsWith(agent) || verb === 'watch' || objectRef?.resource === 'leases') continue;
    if (isConflict(entry)) asked.conflicts++;
    const what = [objectRef?.resource ?? '?', objectRef?.subresource].filter(Boolean).join('/');
    const kinds = readVerbs.has(verb) ? asked.reads : asked.writes;
    const key = `${verb} ${what}`;
    kinds[key] = (kinds[key] ?? 0) + 1;
  }
  return asked;
}

export const total = (kinds: Record<string, number>): number =>
  Object.values(kinds).reduce((sum, count) => sum + count, 0);
