import { expect, it } from 'vitest';
import { signatureOf, textToSign } from './signature.ts';

const fields = {
  command: 'listZones',
  apiKey: 'ABC',
  response: 'json',
  signatureVersion: '3',
  expires: '2030-01-01T00:00:00+0000',
  name: 'a b*~(c)/é',
};

it('signs as the server does', () => {
  expect(textToSign(fields)).toBe(
    'apikey=abc&command=listzones&expires=2030-01-01t00%3a00%3a00%2b0000&name=a%20b*%7e%28c%29%2f%c3%a9&response=json&signatureversion=3',
  );
  expect(signatureOf(fields, 'topsecret')).toBe('q1VhJvbOber21Zldr7MHx8h3Dm4=');
});

it('sorts names by code unit, with capitals first', () => {
  expect(textToSign({ b: '1', B: '2', a: '3', 'tags[0].key': '4' })).toBe('b=2&a=3&b=1&tags[0].key=4');
});
