import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { forgetSecrets, redactSecrets, rememberSecret } from './known-secrets.ts';
import { redactError } from './redact-error.ts';
import { rememberConnectionString, rememberHeader, rememberPrivateKey, rememberUrl } from './remember-parts.ts';

const token = 'fake-Token+with/Signs==&"quotes"';

beforeEach(forgetSecrets);

describe('a known secret', () => {
  it('is taken out of a text, whatever is around it', () => {
    rememberSecret(token);
    expect(redactSecrets(`Bearer ${token}, and again ${token}`)).toBe('Bearer [redacted], and again [redacted]');
    expect(redactSecrets('nothing of it here')).toBe('nothing of it here');
  });

  it.each([
    ['in a URL', encodeURIComponent(token)],
    ['in a URL with small letters', encodeURIComponent(token).replace(/%../g, (one) => one.toLowerCase())],
    ['in JSON', JSON.stringify(token).slice(1, -1)],
    ['in JSON as Go writes it', JSON.stringify(token).slice(1, -1).replaceAll('&', '\\u0026')],
    ['in a page', token.replaceAll('&', '&amp;').replaceAll('"', '&#34;')],
    ['in base64', Buffer.from(token).toString('base64')],
    ['in base64 for URLs', Buffer.from(token).toString('base64url')],
  ])('is found %s', (_, form) => {
    rememberSecret(token);
    const left = redactSecrets(`x ${form} y`);
    expect(left).toMatch(/^x \[redacted\].{0,3} y$/);
  });

  it('is found within something in base64, wherever it begins', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 20 }), fc.string({ maxLength: 20 }), (before, after) => {
        rememberSecret(token);
        const text = Buffer.from(before + token + after).toString('base64');
        expect(redactSecrets(text)).toContain('[redacted]');
      }),
    );
  });

  it('is found where somebody has cut the text in the middle of it', () => {
    rememberSecret('fake-0123456789abcdef0123456789abcdef');
    expect(redactSecrets('refused: fake-0123456789abcdef0123')).toBe('refused: [redacted]');
    expect(redactSecrets('refused: fake-0123456789abcdef0123… (502)')).toBe('refused: [redacted]… (502)');
    expect(redactSecrets('fake-0123456789abcdef is something else')).toBe('fake-0123456789abcdef is something else');
  });

  it('stays whole where another one begins alike', () => {
    rememberSecret('fake-0123456789abcdef');
    rememberSecret('fake-0123456789abcdef-and-more');
    rememberSecret('fake-0123');
    expect(redactSecrets('fake-0123456789abcdef-and-more fake-0123456789abcdef fake-0123 fake-012')).toBe(
      '[redacted] [redacted] [redacted] fake-012',
    );
  });

  it('is never left in any text', () => {
    const secret = fc
      .string({ minLength: 8, maxLength: 60, unit: 'grapheme-ascii' })
      .filter((one) => one.trim().length >= 8);
    fc.assert(
      fc.property(fc.array(secret, { minLength: 1, maxLength: 8 }), fc.array(fc.string()), (secrets, parts) => {
        forgetSecrets();
        for (const one of secrets) rememberSecret(one);
        // The mark itself may be a part of a secret that chance has made.
        const text = secrets.map((one, at) => `${parts[at] ?? ''}\n${one.trim()}\n`).join('');
        const left = redactSecrets(text).replaceAll('[redacted]', '\n');
        for (const one of secrets) expect(left).not.toContain(one.trim());
      }),
    );
  });
});

it('ignores what is too short, and forgets the oldest of very many', () => {
  rememberSecret('short');
  rememberSecret(undefined);
  expect(redactSecrets('a short text')).toBe('a short text');
  for (let at = 0; at <= 1000; at += 1) rememberSecret(`fake-secret-number-${at}-end`);
  expect(redactSecrets('fake-secret-number-0-end fake-secret-number-1-end')).toBe(
    'fake-secret-number-0-end [redacted]',
  );
});

it('knows the secrets within a key, a URL, a connection string and a header', () => {
  const line = 'FAKEfakeFAKEfakeFAKEfakeFAKEfake0123456789';
  rememberPrivateKey(`-----BEGIN PRIVATE KEY-----\n${line}\n-----END PRIVATE KEY-----\n`);
  rememberUrl(new URL('http://joe:fake%2Bpassword@proxy.example:3128'));
  rememberConnectionString('Endpoint=sb://name.example/;SharedAccessKeyName=root;SharedAccessKey=fakeKeyOfTheBus=');
  rememberHeader('Bearer fake-bearer-token');
  rememberHeader('AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE/20260101, Signature=0123456789abcdef');
  const basic = Buffer.from('joe:fake+password').toString('base64');
  const text = [line, 'fake+password', basic, 'fakeKeyOfTheBus=', 'root', 'fake-bearer-token', 'AKIAEXAMPLE'].join(' ');
  expect(redactSecrets(text)).toMatch(
    /^\[redacted\] \[redacted\] \[redacted\].{0,3} \[redacted\] root \[redacted\] AKIAEXAMPLE$/,
  );
});

it('leaves an error what it is, without the secret', () => {
  rememberSecret(token);
  const error = new TypeError(`no: ${token}`, { cause: new Error(token) });
  expect(redactError(error)).toBe(error);
  expect(`${error.message} ${error.stack} ${String(error.cause)}`).not.toContain(token);
  expect(redactError('text')).toBe('text');
});
