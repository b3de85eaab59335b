/** Who calls: access keys, the roles that they may take on, and what each may not do. */
import { createHash } from 'node:crypto';
import type { Clock, Ids } from '../../shared/base/runtime.ts';
import { type Outcome, type Problem, refuse } from './wire/answer.ts';
import { type Form, textAt } from './wire/form.ts';
import { time } from './wire/xml.ts';

export interface Caller {
  arn: string;
  /** Actions that it may not do, like `ec2:CreateFleet`; `ec2:*` is all of a service. */
  denied: readonly string[];
}

export interface RoleOptions {
  arn: string;
  denied?: readonly string[];
  externalId?: string;
  /** For so long its keys are good, whatever is asked for. */
  sessionSeconds?: number;
}

interface Key {
  caller: Caller;
  sessionToken: string | undefined;
  expiresAt: number | undefined;
}

/** Where the caller stands: which service and region the signature is for. */
export interface Scope {
  accessKeyId: string;
  region: string;
  service: string;
}

export type Checked = { caller: Caller; scope: Scope } | { problem: Problem; scope: Scope | undefined };

const mostSkewMs = 5 * 60_000;

/** The scope of a signature in the header or, for a presigned request, in the query. */
export function scopeOf(authorization: string | undefined): Scope | undefined {
  const [, accessKeyId, region, service] =
    /Credential=([^/]+)\/\d+\/([^/]+)\/([^/]+)\/aws4_request/.exec(authorization ?? '') ?? [];
  if (accessKeyId === undefined || region === undefined || service === undefined) return undefined;
  return { accessKeyId, region, service };
}

export class Identities {
  readonly #keys = new Map<string, Key>();
  readonly #roles = new Map<string, RoleOptions>();
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #account: string;

  /** The clock is that of the callers, because they sign by theirs. */
  constructor(parts: { clock: Clock; ids: Ids; account: string; roles: readonly RoleOptions[] }) {
    this.#clock = parts.clock;
    this.#ids = parts.ids;
    this.#account = parts.account;
    for (const role of parts.roles) this.#roles.set(role.arn, role);
  }

  addKey(accessKeyId: string, user: string, denied: readonly string[]): void {
    const caller = { arn: `arn:aws:iam::${this.#account}:user/${user}`, denied };
    this.#keys.set(accessKeyId, { caller, sessionToken: undefined, expiresAt: undefined });
  }

  /** All keys of roles are past their time. */
  expireSessions(): void {
    for (const key of this.#keys.values()) if (key.expiresAt !== undefined) key.expiresAt = 0;
  }

  check(headers: Readonly<Record<string, string | string[] | undefined>>): Checked {
    const scope = scopeOf(text(headers.authorization));
    if (scope === undefined) {
      return { ...refuse('MissingAuthenticationToken', 'Request is missing Authentication Token', 403), scope };
    }
    const ec2 = scope.service === 'ec2';
    const json = scope.service !== 'sts' && scope.service !== 'iam' && !ec2;
    const key = this.#keys.get(scope.accessKeyId);
    if (key === undefined || key.sessionToken !== text(headers['x-amz-security-token'])) {
      const unknown = ec2
        ? refuse('AuthFailure', 'AWS was not able to validate the provided access credentials', 401)
        : refuse(
            json ? 'UnrecognizedClientException' : 'InvalidClientTokenId',
            'The security token included in the request is invalid.',
            json ? 400 : 403,
          );
      return { ...unknown, scope };
    }
    const skew = Math.abs(signedAt(text(headers['x-amz-date'])) - this.#clock.now());
    if (skew > mostSkewMs) {
      const skewed = ec2
        ? refuse('RequestExpired', 'Request has expired.')
        : refuse(
            json ? 'InvalidSignatureException' : 'SignatureDoesNotMatch',
            'Signature expired or not yet current.',
            json ? 400 : 403,
          );
      return { ...skewed, scope };
    }
    if (key.expiresAt !== undefined && key.expiresAt <= this.#clock.now()) {
      const expired = ec2
        ? refuse('RequestExpired', 'Request has expired.')
        : refuse(
            json ? 'ExpiredTokenException' : 'ExpiredToken',
            'The security token included in the request is expired',
            json ? 400 : 403,
          );
      return { ...expired, scope };
    }
    return { caller: key.caller, scope };
  }

  assumeRole(form: Form, caller: Caller): Outcome {
    const arn = textAt(form, 'RoleArn') ?? '';
    const session = textAt(form, 'RoleSessionName') ?? '';
    const role = this.#roles.get(arn);
    const given = textAt(form, 'ExternalId');
    if (role === undefined || (role.externalId !== undefined && role.externalId !== given)) {
      return refuse(
        'AccessDenied',
        `User: ${caller.arn} is not authorized to perform: sts:AssumeRole on resource: ${arn}`,
        403,
      );
    }
    const name = arn.split('/').at(-1) ?? '';
    const assumed = `arn:aws:sts::${this.#account}:assumed-role/${name}/${session}`;
    const accessKeyId = `ASIA${createHash('sha256').update(this.#ids.next()).digest('hex').slice(0, 16).toUpperCase()}`;
    const sessionToken = Buffer.from(`${assumed} ${accessKeyId}`).toString('base64');
    const seconds = role.sessionSeconds ?? Number(textAt(form, 'DurationSeconds') ?? 3600);
    const expiresAt = this.#clock.now() + seconds * 1000;
    this.#keys.set(accessKeyId, { caller: { arn: assumed, denied: role.denied ?? [] }, sessionToken, expiresAt });
    return {
      xml: {
        Credentials: {
          AccessKeyId: accessKeyId,
          SecretAccessKey: `secret-of-${accessKeyId}`,
          SessionToken: sessionToken,
          Expiration: time(expiresAt),
        },
        AssumedRoleUser: { AssumedRoleId: `AROAEXAMPLE:${session}`, Arn: assumed },
      },
    };
  }

  callerIdentity(caller: Caller): Outcome {
    return { xml: { Arn: caller.arn, UserId: 'AIDAEXAMPLE', Account: this.#account } };
  }
}

export const mayDo = ({ denied }: Caller, service: string, action: string): boolean =>
  !denied.includes(`${service}:${action}`) && !denied.includes(`${service}:*`);

/** What EC2 says has a message in it that only those with the right to do so can read. */
export function unauthorised(caller: Caller, service: string, action: string, resource: string): Problem {
  const who = `User: ${caller.arn} is not authorized to perform: ${service}:${action} on resource: ${resource} because no identity-based policy allows the ${service}:${action} action.`;
  if (service !== 'ec2') {
    const json = service !== 'sts' && service !== 'iam';
    return { code: json ? 'AccessDeniedException' : 'AccessDenied', message: who, status: json ? 400 : 403 };
  }
  const encoded = Buffer.from(who).toString('base64url').slice(0, 120);
  const message = `You are not authorized to perform this operation. ${who} Encoded authorization failure message: ${encoded}`;
  return { code: 'UnauthorizedOperation', message, status: 403 };
}

const text = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;

/** `20261116T134357Z`. */
function signedAt(date: string | undefined): number {
  const [, y, mo, d, h, mi, s] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date ?? '') ?? [];
  return y === undefined ? 0 : Date.UTC(Number(y), Number(mo) - 1, Number(d), Number(h), Number(mi), Number(s));
}
