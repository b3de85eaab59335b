/**
 * For whom machines are made and in whose name things are looked for: a project, or an account in a domain, or the caller itself.
 * The options name them as people do; CloudStack wants ids.
 */
import { didYouMean } from '../../../base/nearest.ts';
import { failed, ok, type Result } from '../../../base/result.ts';
import type { CloudStackClient } from '../../../platforms/cloudstack/client.ts';
import type { Lookups } from '../../calls/lookups.ts';
import type { CloudStackOptions } from '../options.ts';
import type { Domain, Named } from './answers.ts';

/** Parameters for lists and for a deploy. */
export type ScopeParams = { projectid?: string; domainid?: string; account?: string };

/** A project is made and removed once in years. */
const freshSeconds = 3600;

export interface ScopeParts {
  options: Pick<CloudStackOptions, 'project' | 'domain' | 'account'>;
  client: Pick<CloudStackClient, 'list'>;
  lookups: Lookups;
}

export async function scopeParams(
  { options, client, lookups }: ScopeParts,
  signal: AbortSignal,
): Promise<Result<ScopeParams>> {
  const { project, domain, account } = options;
  if (project !== undefined) {
    const read = (inner: AbortSignal) => client.list<Named>('listProjects', { listall: true }, inner);
    const all = await lookups.ask('projects', {}, freshSeconds, read, signal);
    if (!all.ok) return all;
    const found = all.value.find(({ id, name }) => id === project || name === project);
    if (found !== undefined) return ok({ projectid: found.id });
    lookups.doubt('projects');
    return unknown(
      'project',
      project,
      all.value.map(({ name }) => name),
      'ProjectNotFound',
    );
  }
  if (domain === undefined) return ok({});
  const read = (inner: AbortSignal) => client.list<Domain>('listDomains', { listall: true }, inner);
  const all = await lookups.ask('domains', {}, freshSeconds, read, signal);
  if (!all.ok) return all;
  const found = all.value.find(({ id, name, path }) => [id, name, path].includes(domain));
  if (found === undefined) {
    lookups.doubt('domains');
    return unknown(
      'domain',
      domain,
      all.value.map(({ path, name }) => path ?? name),
      'DomainNotFound',
    );
  }
  return ok({ domainid: found.id, ...(account === undefined ? {} : { account }) });
}

function unknown(what: string, wanted: string, known: readonly string[], code: string): Result<never> {
  const hint = didYouMean(wanted, known);
  return failed(
    'not-ready',
    `there is no ${what} ${JSON.stringify(wanted)} that the account of the API key can see${hint}; correct the option ${what} of the provider, or add the account to it`,
    { code, reason: code },
  );
}
