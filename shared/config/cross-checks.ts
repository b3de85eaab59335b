/**
 * What no single field can tell: whether the fields go together. It looks at what was written, not at what the schema made of
 * it, so that these problems are told together with all others.
 */

import { parseSeconds } from '../base/durations.ts';
import { asObject } from '../base/json.ts';
import { isLoopback } from '../net/loopback.ts';
import { readHeaders } from '../observe/otlp/target.ts';
import { isUnresolvedReference, unresolvedReferenceText } from '../platforms/azure/key-vault-reference.ts';
import { accessProblems, providerOfAccess } from './access-checks.ts';
import { keyProblems } from './key-checks.ts';
import { providerProblems } from './provider-checks.ts';
import { requestProblems } from './request-checks.ts';

export interface CrossProblem {
  path: PropertyKey[];
  message: string;
  /** What might have been meant. */
  candidates?: string[];
}

const defaultFirstPause = 1;
const defaultMaxPause = 300;

export function crossProblems(input: unknown): CrossProblem[] {
  const config = fields(input);
  const http = fields(config.http);
  const retry = fields(config.retry);
  const types = Object.entries(fields(config.providers)).map(([name, provider]): [string, unknown] => [
    name,
    fields(provider).type,
  ]);
  const problems = Object.entries(fields(config.clusters)).flatMap(([name, cluster]) =>
    clusterProblems(['clusters', name], fields(cluster), new Map(types)),
  );
  for (const [name, provider] of Object.entries(fields(config.providers))) {
    problems.push(...providerProblems(['providers', name], fields(provider)));
  }
  problems.push(...referenceProblems(input, []));
  problems.push(...keyProblems(fields(config.clusters), fields(http.callers)));
  if (typeof http.host === 'string' && !isLoopback(http.host) && http.tokenFile === undefined) {
    problems.push({
      path: ['http', 'host'],
      message: 'is reachable from other machines, so http.tokenFile must be set; or use 127.0.0.1',
    });
  }
  problems.push(...requestProblems(config));
  problems.push(...otlpProblems(fields(fields(config.metrics).otlp)));
  if (seconds(retry.maxPause, defaultMaxPause) < seconds(retry.firstPause, defaultFirstPause)) {
    problems.push({ path: ['retry', 'maxPause'], message: 'must not be shorter than retry.firstPause' });
  }
  return problems;
}

function otlpProblems({ headers, headersFile }: Record<string, unknown>): CrossProblem[] {
  const path = ['metrics', 'otlp', 'headers'];
  if (headers !== undefined && headersFile !== undefined) {
    return [{ path, message: 'cannot be combined with headersFile; set only one of them' }];
  }
  if (typeof headers !== 'string' || isUnresolvedReference(headers) || readHeaders(headers) !== undefined) return [];
  return [{ path, message: 'must look like name=value,name=value' }];
}

/** A secret that stayed a reference would be sent to a server as it is, which answers only that it does not know us. */
function referenceProblems(value: unknown, path: PropertyKey[]): CrossProblem[] {
  if (typeof value === 'string')
    return isUnresolvedReference(value) ? [{ path, message: unresolvedReferenceText }] : [];
  if (Array.isArray(value)) return value.flatMap((item, index) => referenceProblems(item, [...path, index]));
  return Object.entries(fields(value)).flatMap(([key, inner]) => referenceProblems(inner, [...path, key]));
}

function clusterProblems(
  at: string[],
  cluster: Record<string, unknown>,
  types: ReadonlyMap<string, unknown>,
): CrossProblem[] {
  const problems: CrossProblem[] = [];
  const providers = [...types.keys()];
  problems.push(...accessProblems(at, cluster));

  const wanted = Array.isArray(cluster.providers) ? (cluster.providers as unknown[]) : [];
  for (const [index, name] of wanted.entries()) {
    if (typeof name !== 'string' || providers.includes(name)) continue;
    problems.push({
      path: [...at, 'providers', index],
      message: `is not a configured provider; configured providers: ${providers.length === 0 ? 'none' : providers.join(', ')}`,
      candidates: providers,
    });
  }
  const all = Array.isArray(cluster.providers) ? wanted.filter((name) => typeof name === 'string') : providers;
  // Another word is the schema's to report.
  const needed = typeof cluster.access === 'string' ? providerOfAccess[cluster.access] : undefined;
  if (needed !== undefined && !all.some((name) => types.get(String(name)) === needed)) {
    problems.push({
      path: [...at, 'access'],
      message: `needs a provider of type ${needed} among this cluster's providers, which provides the identity and the cluster`,
    });
  }
  if (typeof cluster.defaultProvider === 'string' && !all.includes(cluster.defaultProvider)) {
    problems.push({
      path: [...at, 'defaultProvider'],
      message: `is not one of this cluster's providers: ${all.length === 0 ? 'it has none' : all.join(', ')}`,
      candidates: all,
    });
  }
  return problems;
}

/** A wrong duration is the schema's to report; here it counts as the default. */
function seconds(value: unknown, otherwise: number): number {
  return typeof value === 'string' || typeof value === 'number' ? (parseSeconds(value) ?? otherwise) : otherwise;
}

const fields = (value: unknown): Record<string, unknown> => asObject(value) ?? {};
