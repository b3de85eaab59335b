import { expect, it } from 'vitest';
import { isForLoopback } from './loopback.ts';

const asks = (host: string | string[], url = '/healthz') => ({
  rawHeaders: [host].flat().flatMap((one) => ['Host', one]),
  url,
});

it.each(['localhost', 'LOCALHOST:8480', '127.0.0.1', '127.0.0.1:9000', '[::1]:8480'])(
  'Host %s is this machine',
  (host) => {
    expect(isForLoopback(asks(host))).toBe(true);
  },
);

it.each([
  'evil.example',
  '2130706433',
  '0x7f.1',
  '0177.0.0.1',
  '127.1',
  '127.0.0.1.',
  '127.0.0.2',
  'localhost.evil.example',
  '127.0.0.1:8480@evil.example',
  'evil.example:127.0.0.1',
  '127.0.0.1 ',
  '127.0.0.1:123456',
  '::1',
  '[::ffff:127.0.0.1]',
  'localhost\nevil.example',
  '',
])('Host %j is not', (host) => {
  expect(isForLoopback(asks(host))).toBe(false);
});

it('neither is a request with no Host, or two', () => {
  expect(isForLoopback(asks([]))).toBe(false);
  expect(isForLoopback(asks(['localhost', 'localhost']))).toBe(false);
  expect(isForLoopback(asks(['localhost', 'evil.example']))).toBe(false);
});

it('a target in absolute form names the same host', () => {
  expect(isForLoopback(asks('localhost:1', 'http://localhost:1/healthz'))).toBe(true);
  expect(isForLoopback(asks('localhost:1', 'http://evil.example/healthz'))).toBe(false);
  expect(isForLoopback(asks('localhost:1', 'http://localhost:1@evil.example/'))).toBe(false);
  expect(isForLoopback(asks('localhost:1', 'http://localhost:1.evil.example/'))).toBe(false);
  expect(isForLoopback(asks('localhost', 'http://localhost:1/'))).toBe(false);
});

it('the address that the server listens on counts too', () => {
  expect(isForLoopback(asks('127.0.0.7:80'), '127.0.0.7')).toBe(true);
  expect(isForLoopback(asks('127.0.0.8:80'), '127.0.0.7')).toBe(false);
});
