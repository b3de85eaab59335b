/** The host: whether it answers, lets us in and is ready, and what it finds itself. */

import type { Check } from '../../../shared/base/checks.ts';
import { errorText } from '../../../shared/base/error-text.ts';
import { UserError } from '../../terminal/user-error.ts';
import { notChecked } from './looks.ts';
import type { Patient } from './patient.ts';

export async function hostChecks({ host, options }: Patient): Promise<Check[]> {
  const name = 'host';
  const repair = options.url === undefined ? 'poolwright start' : 'check --url, and that you can reach it from here';
  if ('problem' in host) {
    return [{ name, state: 'fail', message: host.problem.message, code: 'HostUnreachable', repair }];
  }
  try {
    const { version } = await host.api.ask<{ version: string }>('GET', '/healthz');
    const token = await host.api.ask('GET', '/v1/pauses').then(
      (): Check => ({ name: 'token', state: 'pass', message: 'the host accepts it' }),
      (error: unknown): Check => ({
        name: 'token',
        state: 'fail',
        message: errorText(error),
        code: error instanceof UserError ? (error.code ?? 'TokenWrong') : 'TokenWrong',
        repair: 'pass the token of this host with --token-file',
      }),
    );
    return [{ name, state: 'pass', message: `reachable, version ${version}` }, token];
  } catch (error) {
    return [{ name, state: 'fail', message: errorText(error), code: 'HostUnreachable', repair }];
  }
}

export async function hostFindings({ findings }: Patient): Promise<Check[]> {
  try {
    const { checks } = await findings();
    return checks;
  } catch (error) {
    return [notChecked('checks of the host', errorText(error))];
  }
}
