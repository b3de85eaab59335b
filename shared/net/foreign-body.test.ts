import { expect, it } from 'vitest';
import { forgetSecrets, rememberSecret } from '../base/secrets/known-secrets.ts';
import { bodyText } from './foreign-body.ts';

const page = `<!DOCTYPE html><html><head><title>Sign in</title><style>body { color: red }</style>
<script>var a = "<b>" < 1;</script><!-- a note --></head><body><h1>407&nbsp;Authentication Required</h1>
<p>Your request &lt;GET&gt; needs a user &#38; a password.</p></body></html>`;

it('is the text of a page without its markup', () => {
  expect(bodyText(page)).toBe('Sign in 407 Authentication Required Your request <GET> needs a user & a password.');
  expect(bodyText('<html><script>never ends')).toBe('');
  expect(bodyText(`<html>&#x110000;&#xffffffff;`)).toBe('&#xffffffff;');
});

it('leaves what is no page as it is, on one line', () => {
  expect(bodyText('a < b,\n  c > d')).toBe('a < b, c > d');
  expect(bodyText('{"error":"<nil>"}')).toBe('{"error":"<nil>"}');
});

it('is short, and holds no secret, not even one that the cut would go through', () => {
  forgetSecrets();
  rememberSecret('fake-token-0123456789-abcdef');
  const body = `${'x'.repeat(190)} fake-token-0123456789-abcdef and more`;
  expect(bodyText(body)).toBe(`${'x'.repeat(190)} [redacte…`);
  expect(bodyText(`<p>${'y'.repeat(100_000)}`, 50)).toHaveLength(50);
});

it('ends with markup that never ends', () => {
  for (const evil of ['<script ', '<html><!--', '<html><a ']) {
    expect(bodyText(evil.repeat(20_000)).length).toBeLessThan(10);
  }
});
