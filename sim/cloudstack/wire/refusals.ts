/** Why CloudStack does not do something: the code that is also the HTTP status, the code of the exception behind it, and its words. */

export class Refused extends Error {
  override readonly name = 'Refused';
  readonly code: number;
  /** `cserrorcode`; absent where the refusal comes from before the command. */
  readonly exception: number | undefined;
  /** Whether the words are for administrators only. */
  readonly internal: boolean;

  constructor(code: number, message: string, exception?: number, internal = false) {
    super(message);
    this.code = code;
    this.exception = exception;
    this.internal = internal;
  }
}

/** Behind a refusal that no other exception explains. */
const plainException = 9999;

export const invalid = (message: string): Refused => new Refused(431, message, 4350);

export const missing = (command: string, name: string): Refused =>
  new Refused(
    431,
    `Unable to execute API command ${command.toLowerCase()} due to missing parameter ${name}`,
    plainException,
  );

export const malformed = (message: string): Refused => new Refused(431, message, plainException);

export const notPermitted = (message: string): Refused => new Refused(531, message, 4365);

export const overLimit = (code: 532 | 535, message: string): Refused =>
  new Refused(code, message, code === 535 ? 4370 : 4280);

export const noCapacity = (message: string): Refused => new Refused(533, message, 4335);

export const failed = (message: string): Refused => new Refused(530, message, 4250);

export const unauthorized = (message = 'unable to verify user credentials and/or request signature'): Refused =>
  new Refused(401, message);

export const throttled = (milliseconds: number): Refused =>
  new Refused(
    429,
    `The given user has reached his/her account api limit, please retry after ${milliseconds} ms.`,
    plainException,
  );

export const inMaintenance = (): Refused =>
  new Refused(
    503,
    'Maintenance or Shutdown has been initiated on this management server. Can not accept new jobs',
    plainException,
  );
