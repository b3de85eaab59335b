import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { generatedProtocol, protocolDirectory } from './protocol.ts';

it.each([...generatedProtocol()])('%s is up to date: else run npm run generate', (name, content) => {
  expect(readFileSync(join(protocolDirectory, name), 'utf8')).toBe(content);
});
