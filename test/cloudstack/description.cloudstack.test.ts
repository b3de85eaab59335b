/** The stand-in against what a management server says of its API. */
import { describe, expect, it } from 'vitest';
import { parametersOf } from '../../sim/cloudstack/calls/command.ts';
import { commands } from '../../sim/cloudstack/calls/commands.ts';
import { ApiDescription, readApiDescription } from './api-description.ts';
import { tour } from './tour.ts';
import { partPath } from './use-parts.ts';

const goModule = partPath('goModule');

describe.skipIf(goModule === undefined)('the description of the API', () => {
  // What is skipped is still collected.
  const api = goModule === undefined ? new ApiDescription([]) : readApiDescription(goModule);

  it('is the whole of it', () => {
    expect(api.size).toBe(912);
  });

  it.each([...commands.keys()])('knows %s with the parameters that the stand-in takes', (name) => {
    const command = commands.get(name);
    const described = api.api(name);
    expect(described?.isasync).toBe(command?.isAsync);
    const known = new Map(
      described?.params.map(({ name: parameter, type, required }) => [parameter, { type, required }]),
    );
    for (const { name: parameter, type, required } of command === undefined ? [] : parametersOf(command)) {
      expect([parameter, known.get(parameter)]).toEqual([parameter, { type, required }]);
    }
    const required = described?.params.filter((one) => one.required).map((one) => one.name) ?? [];
    const ours = command === undefined ? [] : parametersOf(command).filter((one) => one.required);
    expect(ours.map((one) => one.name).sort()).toEqual(required.sort());
  });

  it('fits every request and every answer of a tour through all commands', async () => {
    const exchanges = await tour();
    expect(exchanges.flatMap((exchange) => api.problemsOf(exchange))).toEqual([]);
    const worked = new Set(exchanges.filter(({ status }) => status === 200).map(({ command }) => command));
    expect([...commands.keys()].filter((name) => !worked.has(name))).toEqual([]);
    const refused = new Set(exchanges.filter(({ status }) => status !== 200).map(({ status }) => status));
    expect([...refused].sort()).toEqual([401, 429, 431, 531, 535]);
  });

  it.each([
    ['a parameter that is not there', 'listZones', { nmae: 'a' }, {}, 'there is no parameter nmae'],
    ['a map without its keys', 'listZones', { tags: 'a' }, {}, 'tags is a map and needs [0].key'],
    ['a required one that is missing', 'listTemplates', {}, {}, 'the required templatefilter is missing'],
    ['a number that is none', 'listZones', { page: 'one' }, {}, 'page is of type integer'],
    ['a field that is not there', 'listZones', {}, { count: 1, zone: [{ nme: 'a' }] }, 'there is no field nme'],
    ['a field of another type', 'listZones', {}, { count: 1, zone: [{ id: 7 }] }, 'is of type string, not 7'],
    ['an empty list', 'listZones', {}, { count: 1, zone: [] }, 'an empty list is left out'],
    ['a list without its count', 'listZones', {}, { zone: [{ id: 'a' }] }, 'a list without its count'],
    [
      'a job that is none',
      'createTags',
      { resourceids: 'a', resourcetype: 'b', 'tags[0].key': 'c' },
      {},
      'has a jobid',
    ],
    ['a command that is not there', 'listZone', {}, {}, 'there is no such command'],
  ] as const)('finds %s', (_what, command, fields, body, said) => {
    const problems = api.problemsOf({
      command,
      fields: fields as Record<string, string>,
      status: 200,
      body: body as never,
    });
    expect(problems).toEqual([expect.stringContaining(said)]);
  });
});
