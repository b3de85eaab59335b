/** Who asked the API server for what, from its audit log. */
import { readFileSync, statSync } from 'node:fs';

export interface Asked {
  /** `PATCH nodeclaims/status`, `POST events`, … without reads and watches. */
  writes: Record<string, number>;
  reads: Record<string, number>;
  conflicts: number;
}

interface AuditLine {
  userAgent?: string;
  verb: string;
  objectRef?: { resource?: string; subresource?: string };
  responseStatus?: { code?: number };
}

const readVerbs = new Set(['get', 'list']);

/** Where the log ends now: what is asked from here on is counted. */
export const auditMark = (file: string): number => statSync(file).size;

/** Requests by clients whose user agent begins so. Leases are what keeps a deployment alive, not what a claim costs. */
export function askedSince(file: string, mark: number, agent: string): Asked {
  const asked: Asked = { writes: {}, reads: {}, conflicts: 0 };
  const text = readFileSync(file).subarray(mark).toString('utf8');
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const { userAgent, verb, objectRef, responseStatus } = JSON.parse(line) as AuditLine;
    if (!userAgent?.startsWith(agent) || verb === 'watch' || objectRef?.resource === 'leases') continue;
    if (responseStatus?.code === 409) asked.conflicts++;
    const what = [objectRef?.resource ?? '?', objectRef?.subresource].filter(Boolean).join('/');
    const kinds = readVerbs.has(verb) ? asked.reads : asked.writes;
    const key = `${verb} ${what}`;
    kinds[key] = (kinds[key] ?? 0) + 1;
  }
  return asked;
}

export const total = (kinds: Record<string, number>): number =>
  Object.values(kinds).reduce((sum, count) => sum + count, 0);
