import { describe, expect, test } from 'vitest';
import type { ErrorKind } from '../../../base/result.ts';
import type { AwsProblem } from '../../../platforms/aws/errors.ts';
import { codeBy, type Ec2Request, rules } from './error-rules.ts';
import { codeIn, failureOf, ruleOf } from './errors.ts';

const launch: Ec2Request = { service: 'ec2', action: 'CreateFleet', region: 'eu-west-1', write: true };
const look: Ec2Request = { ...launch, action: 'DescribeInstances', write: false };
const answer = (code: string, text = 'as AWS says it', status = 400): AwsProblem => ({
  code,
  text,
  status,
  answered: true,
  sent: false,
});

describe('an error code of EC2', () => {
  test.each<[string, ErrorKind]>([
    ['InsufficientInstanceCapacity', 'insufficient-capacity'],
    ['UnfulfillableCapacity', 'insufficient-capacity'],
    ['Unsupported', 'insufficient-capacity'],
    ['InsufficientFreeAddressesInSubnet', 'insufficient-capacity'],
    ['ReservationCapacityExceeded', 'insufficient-capacity'],
    ['MaxSpotInstanceCountExceeded', 'quota-exceeded'],
    ['VcpuLimitExceeded', 'quota-exceeded'],
    ['MaxFleetCountExceeded', 'quota-exceeded'],
    ['RequestLimitExceeded', 'throttled'],
    ['UnauthorizedOperation', 'unauthorised'],
    ['ExpiredToken', 'unauthorised'],
    ['RequestExpired', 'unauthorised'],
    ['AuthFailure', 'unauthorised'],
    ['InvalidLaunchTemplateName.NotFoundException', 'not-found'],
    ['InvalidInstanceID.NotFound', 'not-found'],
    ['InvalidAMIID.NotFound', 'not-ready'],
    ['InvalidSubnetID.NotFound', 'not-ready'],
    ['InvalidGroup.NotFound', 'not-ready'],
    ['IdempotentParameterMismatch', 'conflict'],
    ['InvalidParameterValue', 'invalid'],
  ])('%s is %s, whatever the status', (code, kind) => {
    expect(failureOf(answer(code), launch).kind).toBe(kind);
    // EC2 answers 500 to what is sold out and 503 to who is too quick: the code decides, where it is known.
    if (code !== 'InvalidParameterValue') expect(failureOf(answer(code, 'x', 503), launch).kind).toBe(kind);
  });

  test('that nobody knows is judged by the status, and a write that a server stumbled over may have been done', () => {
    expect(failureOf(answer('InternalError', 'x', 500), launch).kind).toBe('outcome-unknown');
    expect(failureOf(answer('Unavailable', 'x', 503), launch).kind).toBe('outcome-unknown');
    expect(failureOf(answer('InternalError', 'x', 500), look).kind).toBe('unavailable');
    expect(failureOf(answer('Odd', 'x', 403), look).kind).toBe('unauthorised');
    expect(failureOf(answer('', 'x', 200), launch).kind).toBe('outcome-unknown');
  });

  test('is kept, and so is the request, by which AWS finds it again', () => {
    const failure = failureOf({ ...answer('VcpuLimitExceeded'), requestId: 'r-7' }, launch);
    expect(failure.cause).toBe('VcpuLimitExceeded, status 400, request r-7');
    expect(codeIn(failure)).toBe('VcpuLimitExceeded');
    expect(ruleOf(failure)?.byQuotaClass).toBe(true);
  });

  test('stands in one rule only, unless its text tells which', () => {
    const plain = rules.flatMap((rule) => rule.codes.map((code) => codeBy(code, rule)));
    expect(plain.filter((code, index) => plain.indexOf(code) !== index)).toEqual([]);
  });

  test('leads to its rule by itself, whatever its words become', () => {
    const profile = failureOf(answer('InvalidParameterValue', 'Invalid IAM Instance Profile name'), launch);
    const reworded = { ...profile, message: 'in other words', cause: 'in other words' };
    expect(codeIn(reworded)).toBe('InvalidParameterValue.InstanceProfile');
    expect(ruleOf(reworded)?.staleClass).toBe(true);
    const other = failureOf(answer('InvalidParameterValue', 'Invalid number'), launch);
    expect(ruleOf({ ...other, message: 'no instance profile' })).toBeUndefined();
  });

  test('names the instances that AWS does not know', () => {
    const text = "The instance IDs 'i-0a, i-0b' do not exist";
    expect(failureOf(answer('InvalidInstanceID.NotFound', text), look).absent).toEqual(['i-0a', 'i-0b']);
  });
});

describe('what a person reads', () => {
  test('names who lacks which right on what, and leaves out what nobody can read', () => {
    const text =
      'You are not authorized to perform this operation. User: arn:aws:sts::123456789012:assumed-role/poolwright/x is not authorized to perform: ec2:RunInstances on resource: arn:aws:ec2:eu-west-1:123456789012:instance/* because no identity-based policy allows the ec2:RunInstances action. Encoded authorization failure message: aGVsbG8';
    const { message } = failureOf(answer('UnauthorizedOperation', text, 403), launch);
    expect(message).toBe(
      'ec2 CreateFleet: the identity arn:aws:sts::123456789012:assumed-role/poolwright/x lacks the permission ec2:RunInstances on arn:aws:ec2:eu-west-1:123456789012:instance/* (no identity-based policy allows the ec2:RunInstances action); add it to its policy',
    );
  });

  test('names the right of the call where AWS names none', () => {
    expect(failureOf(answer('UnauthorizedOperation', 'You are not authorized.', 403), launch).message).toContain(
      'lacks the permission ec2:CreateFleet',
    );
  });

  test('says what is wrong with the region, the clock, the profile and the user data', () => {
    const noHost: AwsProblem = { code: 'ENOTFOUND', text: 'getaddrinfo', answered: false, sent: false };
    expect(failureOf(noHost, look)).toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('eu-west-1'),
    });
    expect(failureOf(answer('RequestExpired', 'Request has expired.'), look).message).toContain(
      'synchronize the clock',
    );
    const profile = failureOf(answer('InvalidParameterValue', 'Invalid IAM Instance Profile name'), launch);
    expect(profile).toMatchObject({ kind: 'not-ready', message: expect.stringContaining('instance profile') });
    const data = failureOf(answer('InvalidParameterValue', 'User data is limited to 16384 bytes'), launch);
    expect(data).toMatchObject({ kind: 'invalid', message: expect.stringContaining('16 KB') });
  });

  test('says of a network that is not there that nothing was done, and of one that broke that nobody knows', () => {
    const refused: AwsProblem = { code: 'ECONNREFUSED', text: 'x', answered: false, sent: false };
    expect(failureOf(refused, launch).kind).toBe('unavailable');
    expect(failureOf({ ...refused, code: 'ECONNRESET', sent: true }, launch).kind).toBe('outcome-unknown');
  });
});
