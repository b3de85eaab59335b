/** What a refusal of AWS says about who may not do what, in words that name the missing right. */
import type { Ec2Signal } from './error-rules.ts';

/**
 * `User: arn:… is not authorized to perform: ec2:CreateFleet on resource: arn:… because no identity-based policy allows …`.
 * What EC2 adds in encoded form needs a right of its own to be read, and is long: it is left out.
 */
export function missingRight({ text, asked }: Ec2Signal): string {
  const who = /User: (\S+)/.exec(text)?.[1];
  const action = /perform: ([\w-]+:\w+)/.exec(text)?.[1] ?? `${asked.service}:${asked.action}`;
  const resource = /on resource: (\S+?)\.?(?:\s|$)/.exec(text)?.[1];
  const why = /because (.+?)(?:\.\s|\.?$|\s*Encoded )/s.exec(text)?.[1];
  const identity = who === undefined ? 'the identity' : `the identity ${who}`;
  const where = resource === undefined ? '' : ` on ${resource}`;
  const reason = why === undefined ? '' : ` (${why})`;
  return `${identity} lacks the permission ${action}${where}${reason}; add it to its policy`;
}

export function credentialRefused({ asked }: Ec2Signal): string {
  return `AWS does not accept the credentials for ${asked.region}; check which credentials are used (aws sts get-caller-identity) and that they belong to this partition`;
}

export function clockSkew({ text }: Ec2Signal): string {
  const skew = /skew|expired|not yet current|earlier|later/i.test(text);
  return skew
    ? 'AWS rejects the time of the request: synchronize the clock of this machine'
    : 'AWS does not accept the signature; check the secret access key';
}
