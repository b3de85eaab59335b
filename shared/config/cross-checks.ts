/**
 * What no single field can tell: whether the fields go together. It looks at what was written, not at what the schema made of
 * it, so that these problems are told together with all others.
 */

import { isLoopback } from '../loopback.ts';
import { parseDuration } from './duration.ts';

export interface CrossProblem {
  path: PropertyKey[];
  message: string;
  /** What might have been meant. */
  candidates?: string[];
}

const DEFAULT_FIRST_PAUSE = 1;
const DEFAULT_MAX_PAUSE = 300;

export function crossProblems(input: unknown): CrossProblem[] {
  const config = fields(input);
  const http = fields(config.http);
  const retry = fields(config.retry);
  const problems = Object.entries(fields(config.clusters)).flatMap(([name, cluster]) =>
    clusterProblems(['clusters', name], fields(cluster), Object.keys(fields(config.providers))),
  );
  if (typeof http.host === 'string' && !isLoopback(http.host) && http.tokenFile === undefined) {
    problems.push({
      path: ['http', 'host'],
      message: 'is reachable from other machines, so http.tokenFile must be set; or use 127.0.0.1',
    });
  }
  if (seconds(retry.maxPause, DEFAULT_MAX_PAUSE) < seconds(retry.firstPause, DEFAULT_FIRST_PAUSE)) {
    problems.push({ path: ['retry', 'maxPause'], message: 'must not be shorter than retry.firstPause' });
  }
  return problems;
}

function clusterProblems(at: string[], cluster: Record<string, unknown>, providers: string[]): CrossProblem[] {
  const problems: CrossProblem[] = [];
  const problem = (field: string, message: string): void => void problems.push({ path: [...at, field], message });
  const given = (field: string): boolean => cluster[field] !== undefined;

  if (!given('server') && !given('kubeconfig')) {
    problems.push({ path: at, message: 'needs either server or kubeconfig, so that the cluster can be reached' });
  }
  if (given('server') && given('kubeconfig')) problem('kubeconfig', 'cannot stand beside server: give one of the two');
  if (given('context') && !given('kubeconfig'))
    problem('context', 'needs kubeconfig beside it: it names a context in that file');
  if (given('kubeconfig')) {
    for (const field of ['token', 'tokenFile']) {
      if (given(field)) problem(field, 'cannot stand beside kubeconfig, which has credentials of its own');
    }
  } else if (given('token') && given('tokenFile'))
    problem('token', 'cannot stand beside tokenFile: give one of the two');

  const wanted = Array.isArray(cluster.providers) ? (cluster.providers as unknown[]) : [];
  for (const [index, name] of wanted.entries()) {
    if (typeof name !== 'string' || providers.includes(name)) continue;
    problems.push({
      path: [...at, 'providers', index],
      message: `is no configured provider; configured are: ${providers.length === 0 ? 'none' : providers.join(', ')}`,
      candidates: providers,
    });
  }
  return problems;
}

/** A wrong duration is the schema's to report; here it counts as the default. */
function seconds(value: unknown, otherwise: number): number {
  return typeof value === 'string' || typeof value === 'number' ? (parseDuration(value) ?? otherwise) : otherwise;
}

function fields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
