/** Short names for what went wrong at CloudStack; conditions show them and the catalog of errors explains them. Never renamed. */
export const cloudStackCodes = {
  credentials: 'CloudStackCredentialsInvalid',
  clockSkew: 'CloudStackClockSkew',
  command: 'CloudStackCommandNotAllowed',
  account: 'CloudStackAccountNotAllowed',
  secondFactor: 'CloudStackSecondFactorRequired',
  notFound: 'CloudStackObjectNotFound',
  notCloudStack: 'NotCloudStack',
  tls: 'CloudStackTlsNotTrusted',
  unreachable: 'CloudStackUnreachable',
  capacity: 'CloudStackCapacity',
  quota: 'CloudStackQuota',
  inUse: 'CloudStackInUse',
  refused: 'CloudStackRequestRefused',
} as const;

export type CloudStackCode = (typeof cloudStackCodes)[keyof typeof cloudStackCodes];

/** What lasts until a person mends it: the configuration, the rights or the way to the server. */
const lasting: ReadonlySet<string> = new Set([
  cloudStackCodes.credentials,
  cloudStackCodes.clockSkew,
  cloudStackCodes.command,
  cloudStackCodes.account,
  cloudStackCodes.secondFactor,
  cloudStackCodes.notCloudStack,
  cloudStackCodes.tls,
]);

export const isLastingProblem = (code: string | undefined): boolean => code !== undefined && lasting.has(code);
