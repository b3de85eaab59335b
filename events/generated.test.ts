import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { generatedDirectory, generatedFiles } from '../scripts/generate/event-schemas.ts';
import { eventTypes } from './catalog.ts';
import { parseEvent } from './parse.ts';

const onDisk = (name: string): string => readFileSync(join(generatedDirectory, name), 'utf8');

describe('events/generated', () => {
  it('is up to date (run `node scripts/generate/event-schemas.ts`)', () => {
    const files = generatedFiles();
    expect(readdirSync(generatedDirectory).sort()).toEqual([...files.keys()].sort());
    for (const [name, content] of files) expect(onDisk(name), name).toBe(content);
  });

  it('has an example per event that the parser accepts', () => {
    const examples = readdirSync(generatedDirectory).filter((name) => name.endsWith('.example.json'));
    const types = examples.map((name) => {
      const parsed = parseEvent(onDisk(name));
      expect(parsed, name).toMatchObject({ ok: true });
      return parsed.ok ? parsed.event.type : '';
    });
    expect(types.sort()).toEqual([...eventTypes].sort());
  });

  it('bounds every string in every schema', () => {
    const unbounded: string[] = [];
    const visit = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      const isFreeString = Reflect.get(value, 'type') === 'string' && !('enum' in value) && !('const' in value);
      if (isFreeString && !('maxLength' in value)) unbounded.push(path);
      for (const [key, child] of Object.entries(value)) visit(child, `${path}.${key}`);
    };
    for (const [name, content] of generatedFiles()) if (name.endsWith('.schema.json')) visit(JSON.parse(content), name);
    expect(unbounded).toEqual([]);
  });
});
